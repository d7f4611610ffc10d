/** Arbitrary valid values of the model, for property tests. */
import fc from 'fast-check';
import type { LaunchTemplateSnapshot } from '../../src/collectors/launch-template/answer.ts';
import type { LaunchTemplateRecord } from '../../src/collectors/launch-template/launch-template.ts';
import {
  quotaSets,
  quotaTypes,
  type QuotaSelection,
  type AccountQuota as Quota,
  type QuotaSnapshot,
} from '../../src/collectors/quota/answer.ts';
import type { QuotaRecord } from '../../src/collectors/quota/quota.ts';
import { anomalyKinds, type PollOutcome } from '../../src/model/poll-outcome.ts';
import { quotaKey } from '../../src/model/quota.ts';
import type { TargetRecord } from '../../src/model/record.ts';
import type { Target } from '../../src/model/target.ts';
import { advance, newRecord } from './records.ts';

const zones = ['ap-guangzhou-1', 'ap-guangzhou-3', 'ap-guangzhou-6'];
const name = fc.stringMatching(/^[A-Za-z0-9._-]{1,12}$/);
/** Mostly small numbers, so that two of them are often equal. */
const count = fc.oneof(
  { weight: 9, arbitrary: fc.nat(5) },
  { weight: 1, arbitrary: fc.maxSafeNat() },
);
const timeMs = fc.integer({ min: 1_600_000_000_000, max: 1_900_000_000_000 });

const arbitrarySelection: fc.Arbitrary<QuotaSelection> = fc.record({
  quotaTypes: fc.subarray([...quotaTypes], { minLength: 1 }),
  zones: fc.option(fc.subarray(zones, { minLength: 1 })),
});

const quotaTarget: fc.Arbitrary<QuotaRecord['target']> = fc.record({
  operation: fc.constant('DescribeAccountQuota'),
  account: name,
  region: name,
  selection: arbitrarySelection,
});

const launchTemplateTarget: fc.Arbitrary<LaunchTemplateRecord['target']> = fc.record({
  operation: fc.constant('DescribeLaunchTemplateVersions'),
  account: name,
  region: name,
  resource: fc.record({ template_id: name }),
});

export const arbitraryTarget: fc.Arbitrary<Target> = fc.oneof(quotaTarget, launchTemplateTarget);

const quota: fc.Arbitrary<Quota> = fc
  .record({
    type: fc.constantFrom(...quotaTypes),
    zone: fc.constantFrom(...zones),
    used: count,
    remaining: fc.oneof(count, fc.integer({ min: -5, max: -1 })),
    limit: count,
    onceLimit: count,
    instanceLimits: fc.option(fc.record({ host: fc.option(count), switch: count, rack: count })),
  })
  .map(({ instanceLimits, onceLimit, ...row }) => ({
    ...row,
    unit: quotaSets[row.type].unit,
    zone: quotaSets[row.type].isZonal ? row.zone : null,
    ...(row.type === 'prepaid' && { onceLimit }),
    ...(row.type === 'disaster_recover_group' && { instanceLimits }),
  }));

/** Mostly an empty list. */
const unidentified = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(3));
const missing = fc.array(fc.string(), { maxLength: 2 });

/** Contains only quotas of its selection. */
const arbitraryQuotaSnapshot: fc.Arbitrary<QuotaSnapshot> = fc
  .record({
    appId: fc.option(fc.constant(251_007_416)),
    selection: arbitrarySelection,
    quotas: fc.uniqueArray(quota, { selector: quotaKey, maxLength: 12 }),
    unidentified,
    missing,
  })
  .map(({ selection, quotas, unidentified, ...rest }) => {
    const selected = quotas.filter(
      ({ type, zone }) =>
        selection.quotaTypes.includes(type) &&
        (zone === null || (selection.zones?.includes(zone) ?? true)),
    );
    const whole = unidentified === 0 ? selection.quotaTypes : [];
    return { ...rest, quotas: selected, whole, unreadable: [] };
  });

const version = fc.integer({ min: 1, max: 8 });

const arbitraryLaunchTemplateSnapshot: fc.Arbitrary<LaunchTemplateSnapshot> = fc.record({
  unidentified,
  missing,
  versions: fc.uniqueArray(version).map((versions) => versions.toSorted((a, b) => a - b)),
  defaultVersion: fc.option(
    fc.record({
      version,
      imageId: fc.string(),
      instanceType: fc.option(fc.string()),
      chargeType: fc.option(fc.string()),
      zone: fc.option(fc.string()),
      subnet: fc.option(fc.string()),
      count: fc.option(count),
      ipv6Count: fc.option(count),
      disks: fc.option(
        fc.array(fc.record({ type: fc.string(), usage: fc.constant('DATA_DISK' as const) })),
      ),
      placementGroups: fc.option(fc.array(fc.string())),
    }),
    { freq: 4 },
  ),
});

/** An arbitrary outcome of a poll of a target. */
export function arbitraryOutcome({
  operation,
}: Pick<Target, 'operation'>): fc.Arbitrary<PollOutcome> {
  const isQuotas = operation === 'DescribeAccountQuota';
  const success = fc.record({
    ok: fc.constant(true as const),
    snapshot: isQuotas ? arbitraryQuotaSnapshot : arbitraryLaunchTemplateSnapshot,
    anomalies: fc.array(
      fc.record({ kind: fc.constantFrom(...anomalyKinds), detail: fc.string() }),
      { maxLength: 3 },
    ),
    durationMs: count,
  });
  const failure = fc.record({
    ok: fc.constant(false as const),
    code: fc.constantFrom('Timeout', 'NetworkError', 'AuthFailure.SignatureExpire', 'toString'),
    message: fc.string({ unit: 'binary' }),
    requestId: fc.option(fc.uuid()),
    durationMs: count,
  });
  return fc.oneof({ weight: 3, arbitrary: success }, { weight: 1, arbitrary: failure });
}

/** A record after any sequence of polls of a target. */
export const arbitraryRecord: fc.Arbitrary<TargetRecord> = arbitraryTarget.chain((target) => {
  const fresh = newRecord(target);
  return fc
    .array(fc.tuple(arbitraryOutcome(target), timeMs), { maxLength: 8 })
    .map((polls) =>
      polls.reduce((record, [outcome, nowMs]) => advance(record, outcome, nowMs).record, fresh),
    );
});
