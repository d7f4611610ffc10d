import type { Difference } from './change.ts';
import { maxAbsentLimits, type LimitHistory, type QuotaRecord } from './record.ts';
import { quotaKey, zonalQuotaTypes, type Quota, type QuotaSnapshot } from './snapshot.ts';
import type { QuotaType } from './target.ts';

interface Comparison {
  readonly differences: readonly Difference[];
  readonly limits: readonly LimitHistory[];
}

/**
 * Compares a region's quotas with what was known of them: zones that came and went, and limits that
 * moved. A limit is compared with the last one known, also across polls in which its zone was away.
 * The used figure is no state of the account that anybody set, so its movement is no change; this
 * covers the turn of the month, when prepaid `used` falls to 0 (service-facts.md, section 5).
 */
export function compareQuotas(record: QuotaRecord, snapshot: QuotaSnapshot): Comparison {
  const known = new Map(record.limits.map((history) => [quotaKey(history), history]));
  const present = snapshot.quotas.map((quota) => nextLimit(known.get(quotaKey(quota)), quota));
  const presentKeys = new Set(snapshot.quotas.map(quotaKey));
  const absent = record.limits.filter((history) => !presentKeys.has(quotaKey(history)));

  return {
    differences: [
      ...zoneDifferences(record.snapshot, snapshot),
      ...present.flatMap((history) => limitDifference(known.get(quotaKey(history)), history)),
    ],
    limits: [...present, ...absent.slice(0, maxAbsentLimits)],
  };
}

function nextLimit(before: LimitHistory | undefined, quota: Quota): LimitHistory {
  const { type, zone, limit } = quota;
  if (before === undefined) return { type, zone, limit, raised: 0, lowered: 0 };
  return {
    type,
    zone,
    limit,
    raised: before.raised + (limit > before.limit ? 1 : 0),
    lowered: before.lowered + (limit < before.limit ? 1 : 0),
  };
}

function limitDifference(before: LimitHistory | undefined, after: LimitHistory): Difference[] {
  if (before === undefined || before.limit === after.limit) return [];
  return [
    {
      kind: after.limit > before.limit ? 'quota-limit-raised' : 'quota-limit-lowered',
      quotaType: after.type,
      zone: after.zone,
      from: before.limit,
      to: after.limit,
    },
  ];
}

/** Zones are compared only as far as both snapshots asked for them. */
function zoneDifferences(before: QuotaSnapshot | null, after: QuotaSnapshot): Difference[] {
  if (before === null) return [];
  const types = new Set(
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

function zonesOf(snapshot: QuotaSnapshot, types: ReadonlySet<QuotaType>): ReadonlySet<string> {
  return new Set(
    snapshot.quotas.flatMap(({ type, zone }) => (zone !== null && types.has(type) ? [zone] : [])),
  );
}
