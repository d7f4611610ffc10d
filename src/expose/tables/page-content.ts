/**
 * Content of cells that only the page has room for, as plain data: the rows give it, and `page/table-section.ts` makes
 * the markup. Times are in milliseconds since the Unix epoch. `null`: the page shows the texts of the cell.
 */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { fillLink, type Links } from '../../model/links.ts';
import type { TargetRecord } from '../../model/record.ts';
import { isGap, trendOf } from '../../model/trend.ts';
import { resourceOf, type EvaluatedQuota } from '../evaluation.ts';
import { quotaLabels } from '../filter.ts';

export type PageContent =
  | ReturnType<typeof textContent>
  | ReturnType<typeof timeContent>
  | ReturnType<typeof quotaNameContent>
  | ReturnType<typeof failureContent>
  | ReturnType<typeof trendContent>;

export type TrendContent = NonNullable<ReturnType<typeof trendContent>>;

/** A text that stands as it is. */
export function textContent(text: string) {
  return { kind: 'text', text } as const;
}

/** A time, after a label if there is one. */
export function timeContent(atMs: number | null | undefined, label = '') {
  return atMs === null || atMs === undefined ? null : ({ kind: 'time', atMs, label } as const);
}

/** The name that people call a type of quotas, with a link to its dashboard if one is configured. */
export function quotaNameContent(
  evaluatedQuota: EvaluatedQuota,
  collectors: CollectorSet,
  links: Links,
) {
  const { evaluated, quota } = evaluatedQuota;
  return {
    kind: 'quota-name',
    name: collectors.quotaName(quota.type),
    href: links.grafana && fillLink(links.grafana, quotaLabels(evaluatedQuota)),
    resources: Object.values(resourceOf(evaluatedQuota)),
    type: quota.type,
    unit: quota.unit,
    /** Empty for none. */
    note: evaluated.collector.quotaNote(quota),
  } as const;
}

type Failure = NonNullable<TargetRecord['observed']['freshness']['failure']>;

/** @param lines the message, and what to do about the failure */
export function failureContent({ code, requestId, sinceMs }: Failure, lines: Iterable<string>) {
  return { kind: 'failure', code, sinceMs, lines: [...lines], requestId } as const;
}

/** A line needs this number of points; the last one is the present use. */
const minPoints = 3;

/** The points whose use is known. `null` for a quota that is new. */
export function trendContent({ quota, evaluated }: EvaluatedQuota) {
  const { isFresh, record, staleAfterMs } = evaluated;
  const { fullInMs, points: all } = trendOf(record.observed, quota, isFresh);
  const known = all.flatMap(({ atMs, used }) => (used === null ? [] : [{ atMs, used }]));
  if (known.length < minPoints) return null;
  const points = known.map((point, i) => {
    const before = known[i - 1];
    /** False: the use between the point before and this one is not known. */
    const isConnected = before && !isGap(record.observed, before, point, staleAfterMs);
    return { atMs: point.atMs, used: point.used, isConnected };
  });
  return { kind: 'trend', points, limit: quota.limit, fullInMs } as const;
}
