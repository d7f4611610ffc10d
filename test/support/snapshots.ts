/** Snapshots of complete answers, for tests that set only the relevant fields. */
import type { AccountQuota as Quota, QuotaSnapshot } from '../../src/collectors/quota/answer.ts';
import type { LaunchTemplateSnapshot } from '../../src/collectors/launch-template/answer.ts';
import type { QuotaSelection } from '../../src/collectors/quota/selection.ts';

/** The rows of an answer with only these quotas. */
export function rowsOf(
  { quotaTypes }: Pick<QuotaSelection, 'quotaTypes'>,
  quotas: readonly Quota[],
): QuotaSnapshot['rows'] {
  return quotaTypes.map((type) => {
    const ofType = quotas.filter((quota) => quota.type === type);
    return { type, names: ofType.map(({ zone }) => zone ?? ''), unidentified: 0 };
  });
}

/** @param fields the selection tells the types that the answer has a set of */
export function quotaSnapshot({
  selection,
  ...fields
}: Pick<QuotaSnapshot, 'quotas'> &
  Partial<QuotaSnapshot> & { selection: Pick<QuotaSelection, 'quotaTypes'> }): QuotaSnapshot {
  return {
    kind: 'quota',
    appId: 251_007_416,
    groupInstanceLimits: null,
    rows: rowsOf(selection, fields.quotas),
    missing: [],
    ...fields,
  };
}

export function templateSnapshot(
  fields: Pick<LaunchTemplateSnapshot, 'versions' | 'defaultVersion'> &
    Partial<LaunchTemplateSnapshot>,
): LaunchTemplateSnapshot {
  return { kind: 'launch-template', appId: null, unidentified: 0, missing: [], ...fields };
}
