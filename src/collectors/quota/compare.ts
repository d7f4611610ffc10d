import type { Difference } from '../../model/change.ts';
import { compareLimits } from '../../model/limit-history.ts';
import type { Comparison } from '../collector.ts';
import type { QuotaRecord, QuotaSnapshot } from './record.ts';
import { zonalQuotaTypes } from './target.ts';

/**
 * Compares a region's quotas with what was known of them: zones that came and went, and limits that
 * moved. The used figure is no state of the account that anyone set, so its movement is no change.
 * This covers the turn of the month, when prepaid `used` falls to 0 (docs/service.md).
 */
export function compareQuotas(
  record: QuotaRecord,
  snapshot: QuotaSnapshot,
): Comparison<QuotaRecord> {
  const { limits, differences } = compareLimits(record.limits, snapshot.quotas);
  return {
    record: { ...record, snapshot, limits },
    differences: [...zoneDifferences(record.snapshot, snapshot), ...differences],
  };
}

/** Zones are compared only as far as both snapshots asked for them. */
function zoneDifferences(before: QuotaSnapshot | null, after: QuotaSnapshot): Difference[] {
  if (before === null) return [];
  const types: ReadonlySet<string> = new Set(
    before.selection.quotaTypes.filter(
      (type) => zonalQuotaTypes.has(type) && after.selection.quotaTypes.includes(type),
    ),
  );
  const zonesBefore = zonesOf(before, types);
  const zonesAfter = zonesOf(after, types);
  const asked = (snapshot: QuotaSnapshot, zone: string) =>
    snapshot.selection.zones?.includes(zone) ?? true;

  const gone = [...zonesBefore].filter((zone) => !zonesAfter.has(zone) && asked(after, zone));
  const come = [...zonesAfter].filter((zone) => !zonesBefore.has(zone) && asked(before, zone));
  return [
    ...gone.map((zone) => ({ kind: 'zone-disappeared' as const, zone, from: zone, to: null })),
    ...come.map((zone) => ({ kind: 'zone-appeared' as const, zone, from: null, to: zone })),
  ];
}

function zonesOf(snapshot: QuotaSnapshot, types: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(
    snapshot.quotas.flatMap(({ type, zone }) => (zone !== null && types.has(type) ? [zone] : [])),
  );
}
