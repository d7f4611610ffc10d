/** Records, snapshots, launches and thresholds, for tests that set only the relevant fields. */
import { collectors } from '../../src/collectors/collectors.ts';
import type { LaunchTemplateSnapshot } from '../../src/collectors/launch-template/answer.ts';
import type { QuotaSnapshot, QuotaSelection } from '../../src/collectors/quota/answer.ts';
import type { QuotaRecord } from '../../src/collectors/quota/quota.ts';
import { advance as advanceWith } from '../../src/model/advance.ts';
import type { Launch } from '../../src/model/launches/launch.ts';
import type { Anomaly, PollOutcome, Snapshot } from '../../src/model/poll-outcome.ts';
import {
  type TargetRecord,
  neverPolled,
  newRecord as newRecordOf,
} from '../../src/model/record.ts';
import type { Target } from '../../src/model/target.ts';
import type {
  OverrideFilter,
  ThresholdOverride,
  ThresholdPair,
  Thresholds,
} from '../../src/model/thresholds.ts';

/** The record as a store gives it back: the counters of polls begin at 0 with each process. */
export function asStored(record: TargetRecord): TargetRecord {
  const { lastPoll, lastSuccessAtMs, failure } = record.observed.freshness;
  const freshness = { ...neverPolled, lastPoll, lastSuccessAtMs, failure };
  return { ...record, observed: { ...record.observed, freshness } };
}

/** The stored record of the quotas of a region after one poll, with this limit. */
export function quotaRecord(region: string, limit = 250, account = 'production'): TargetRecord {
  const selection = { quotaTypes: ['postpaid' as const], zones: null };
  const target: QuotaRecord['target'] = {
    account,
    region,
    operation: 'DescribeAccountQuota',
    selection,
  };
  const fresh = newRecord(target);
  const zone = `${region}-1`;
  const quota = {
    type: 'postpaid' as const,
    zone,
    unit: 'instances',
    used: 2,
    remaining: limit - 2,
    limit,
  };
  const outcome = {
    ok: true as const,
    snapshot: quotaSnapshot({
      selection,
      quotas: [quota],
    }),
    anomalies: [],
    durationMs: 12.5,
  };
  return asStored(advance(fresh, outcome, 1_700_000_000_000).record);
}

/** The record after another poll, which found nothing new, with a point of the trend. */
export function polledQuietly(record: TargetRecord, afterMs: number): TargetRecord {
  const { freshness } = record.observed;
  const atMs = freshness.lastPoll!.atMs + afterMs;
  const times = { lastPoll: { atMs, durationMs: 1 }, lastSuccessAtMs: atMs };
  const trend = { stepMs: 900_000, times: [atMs], quotas: [] };
  return {
    ...record,
    observed: { ...record.observed, freshness: { ...freshness, ...times }, trend },
  };
}

/** @param fields the selection tells the types that the answer has a set of */
export function quotaSnapshot({
  selection,
  ...fields
}: Pick<QuotaSnapshot, 'quotas'> &
  Partial<QuotaSnapshot> & { selection: Pick<QuotaSelection, 'quotaTypes'> }): QuotaSnapshot {
  return {
    appId: 251_007_416,
    whole: selection.quotaTypes,
    unreadable: [],
    missing: [],
    ...fields,
  };
}

/** @param fields of the default version, what is left out is absent in the answer */
export function templateSnapshot({
  defaultVersion,
  ...fields
}: Pick<LaunchTemplateSnapshot, 'versions'> &
  Partial<Omit<LaunchTemplateSnapshot, 'defaultVersion'> & Pick<Snapshot, 'appId'>> & {
    readonly defaultVersion: Partial<LaunchTemplateSnapshot['defaultVersion']>;
  }): LaunchTemplateSnapshot {
  const texts = { imageId: '', instanceType: '', chargeType: '', zone: '', subnet: '' };
  const absent = { ...texts, count: 1, ipv6Count: 0, disks: [], placementGroups: [] };
  return {
    unidentified: 0,
    missing: [],
    defaultVersion: defaultVersion && { version: 1, ...absent, ...defaultVersion },
    ...fields,
  };
}

export function newRecord(target: Target): TargetRecord {
  return newRecordOf(target, collectors.of(target));
}

export function advance(record: TargetRecord, outcome: PollOutcome, nowMs: number) {
  return advanceWith(record, outcome, nowMs, collectors.of(record.target));
}

/** The thresholds of a configuration that names none. */
export const defaultThresholds: Thresholds = {
  warning: { basisPoints: 2_000 },
  critical: { basisPoints: 1_000 },
  overrides: [],
};

/** An override, `null` for a mute. Without an end unless a test sets one. */
export function override(
  filter: OverrideFilter,
  thresholds: ThresholdPair | null,
  untilMs = Infinity,
): ThresholdOverride {
  return {
    filter,
    thresholds,
    untilMs,
  };
}

export const polledAtMs = Date.UTC(2026, 1, 3, 14, 5, 0);

/** The record after a successful first poll. */
export function answered(
  target: Target,
  snapshot: Snapshot,
  anomalies: readonly Anomaly[] = [],
): TargetRecord {
  const outcome = { ok: true as const, snapshot, anomalies, durationMs: 187 };
  return advance(newRecord(target), outcome, polledAtMs).record;
}

/** The record after a failed first poll. */
export function failed(target: Target, code: string, message = ''): TargetRecord {
  const outcome = { ok: false as const, code, message, requestId: null, durationMs: 412 };
  return advance(newRecord(target), outcome, polledAtMs).record;
}

/** S5.LARGE8, postpaid, in zone 3. */
export const sampleLaunch: Launch = {
  templateId: 'lt-1',
  groupId: '',
  templateName: 'web',
  version: 3,
  zone: 'ap-x-3',
  isZoneNamed: true,
  instanceType: 'S5.LARGE8',
  chargeType: 'postpaid',
  subnets: [],
  subnetsBindOwnZonesOnly: false,
  count: 1,
  ipv6Count: 0,
  disks: [],
  placementGroups: [],
  isVersionKnown: true,
};
