/** Snapshots of complete answers, for tests that set only the relevant fields. */
import {
  rowName,
  type QuotaRows,
  type AccountQuota as Quota,
  type QuotaSnapshot,
} from '../../src/collectors/quota/record.ts';
import type { LaunchTemplateListSnapshot } from '../../src/collectors/launch-template-list/answer.ts';
import type { LaunchTemplateSnapshot } from '../../src/collectors/launch-template/answer.ts';
import type { QuotaSelection } from '../../src/collectors/quota/selection.ts';

/** The rows of an answer with only these quotas. */
export function rowsOf(
  { quotaTypes }: Pick<QuotaSelection, 'quotaTypes'>,
  quotas: readonly Quota[],
): QuotaRows[] {
  return quotaTypes.map((type) => {
    const ofType = quotas.filter((quota) => quota.type === type);
    return { type, names: ofType.map(rowName), unidentified: 0 };
  });
}

export function quotaSnapshot(
  fields: Pick<QuotaSnapshot, 'selection' | 'quotas'> & Partial<QuotaSnapshot>,
): QuotaSnapshot {
  return {
    kind: 'quota',
    appId: 251_007_416,
    groupInstanceLimits: null,
    rows: rowsOf(fields.selection, fields.quotas),
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

export function templateListSnapshot(
  fields: Pick<LaunchTemplateListSnapshot, 'templates'> & Partial<LaunchTemplateListSnapshot>,
): LaunchTemplateListSnapshot {
  return { kind: 'launch-template-list', appId: null, unidentified: 0, missing: [], ...fields };
}
