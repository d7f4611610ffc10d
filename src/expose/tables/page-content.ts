/**
 * Content of cells that only the page has room for, as plain data: the rows give it, and `page/table-section.ts` makes
 * the markup. Times are in milliseconds since the Unix epoch.
 */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { fillLink, type Links } from '../../model/links.ts';
import type { TargetRecord } from '../../model/record.ts';
import { isGap, trendOf } from '../../model/trend.ts';
import { resourceOf, type EvaluatedQuota } from '../evaluation.ts';
import { quotaLabels } from '../filter.ts';

/** A text that stands as it is; a time, after a label if there is one; or one of the things below. */
export type PageContent =
  | string
  | { readonly atMs: number; readonly label?: string }
  | { readonly failure: Failure; readonly lines: readonly string[] }
  | { readonly quotaName: ReturnType<typeof quotaNameOf> }
  | { readonly trend: UseTrend };

/** A failure. The lines beside it are the message, and what to do about it. */
type Failure = NonNullable<TargetRecord['observed']['freshness']['failure']>;

/** The name that people call a type of quotas, with a link to its dashboard if one is configured. */
export function quotaNameOf(
  evaluatedQuota: EvaluatedQuota,
  collectors: CollectorSet,
  { grafana }: Links,
) {
  const { evaluated, quota } = evaluatedQuota;
  return {
    name: collectors.quotaName(quota.type),
    href: grafana && fillLink(grafana, quotaLabels(evaluatedQuota)),
    resources: Object.values(resourceOf(evaluatedQuota)),
    type: quota.type,
    unit: quota.unit,
    /** Empty for none. */
    note: evaluated.collector.quotaNote(quota),
  };
}

/** A line needs this number of points; the last one is the present use. */
const minPoints = 3;

export type UseTrend = NonNullable<ReturnType<typeof useTrendOf>>;

/** The points whose use is known. `null` for a quota that is new. */
export function useTrendOf({ quota, evaluated }: EvaluatedQuota) {
  const { isFresh, record, staleAfterMs } = evaluated;
  const { fullInMs, points: all } = trendOf(record.observed, quota, isFresh);
  const known = all.flatMap(({ atMs, used }) => (used === null ? [] : [{ atMs, used }]));
  if (known.length < minPoints) return null;
  const points = known.map((point, i) => {
    const before = known[i - 1];
    /** False: the use between the point before and this one is not known. */
    const isConnected = before && !isGap(record.observed, before, point, staleAfterMs);
    return { ...point, isConnected };
  });
  return { points, limit: quota.limit, fullInMs };
}
