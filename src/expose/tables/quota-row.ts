/** A quota in the table of quotas: its numbers, and on the page its trend. */
import { isOverdrawn } from '../../model/judgement.ts';
import { fillLink, runbookLink } from '../../model/links.ts';
import { isGap, trendOf } from '../../model/trend.ts';
import { isLowOrWorse } from '../display-state.ts';
import { resourceOf, type EvaluatedQuota } from '../evaluated-record.ts';
import { quotaLabels } from '../filter.ts';
import { numberText, remainingShareText, zoneOrRegion } from '../text.ts';
import { accountCell, type PageContent, type TableRow, type TableSettings } from './table.ts';

export function quotaTableRow(evaluatedQuota: EvaluatedQuota, settings: TableSettings): TableRow {
  const { evaluated, quota, remainingShare, state } = evaluatedQuota;
  const { limit, remaining, type, unit, used } = quota;
  const labels = quotaLabels(evaluatedQuota);
  const isExhausted = isOverdrawn(quota) || remaining === 0;
  const badAlert = isExhausted ? 'CvmQuotaExhausted' : 'CvmQuotaLow';
  const alert = isLowOrWorse(state) ? badAlert : undefined;
  const isUnitInType = type.includes(unit.replace(/s$/, ''));
  const name = [type, ...Object.values(resourceOf(evaluatedQuota)), isUnitInType ? '' : unit];
  return {
    state,
    cells: [
      {
        role: 'state',
        title: 'State',
        texts: [state === 'none' ? 'limit 0' : state],
        href: runbookLink(settings.links.runbooks, alert, labels),
      },
      { role: 'name', title: 'Quota', texts: name, content: nameContent(evaluatedQuota, settings) },
      { role: 'where', title: 'Where', texts: [zoneOrRegion(evaluatedQuota)] },
      accountCell(evaluated.record.target.account),
      {
        role: 'figure share',
        title: 'Left',
        texts: [remainingShareText(evaluatedQuota)],
        bar: remainingShare === null ? null : 1 - remainingShare,
        content: lastKnownContent(evaluatedQuota),
      },
      {
        role: 'figure remaining',
        title: 'Remaining',
        texts: [numberText(remaining), `of ${numberText(limit)}`],
      },
      { role: 'figure used', title: 'Used', texts: [numberText(used)] },
      { role: 'trend', title: 'Trend of use', content: trendContent(evaluatedQuota) },
    ],
  };
}

function nameContent(
  evaluatedQuota: EvaluatedQuota,
  { collectors, links }: TableSettings,
): PageContent {
  const { evaluated, quota } = evaluatedQuota;
  return {
    kind: 'quota-name',
    name: collectors.quotaName(quota.type),
    href: links.grafana && fillLink(links.grafana, quotaLabels(evaluatedQuota)),
    resources: Object.values(resourceOf(evaluatedQuota)),
    type: quota.type,
    unit: quota.unit,
    note: evaluated.collector.quotaNote(quota),
  };
}

/** Until when the numbers were known. `null` for numbers of the present. */
function lastKnownContent({ goneSinceMs, evaluated }: EvaluatedQuota): PageContent | null {
  const { lastSuccessAtMs } = evaluated.record.observed.freshness;
  if (goneSinceMs !== null) return { kind: 'time', label: 'gone since', atMs: goneSinceMs };
  if (evaluated.isFresh) return null;
  return { kind: 'time', label: 'known until', atMs: lastSuccessAtMs };
}

/** A line needs this number of points; the last one is the present use. */
const minPoints = 3;

/** The points whose use is known. `null` for a quota that is new. */
function trendContent({ quota, evaluated }: EvaluatedQuota): PageContent | null {
  const { isFresh, record, staleAfterMs } = evaluated;
  const { fullInMs, points: all } = trendOf(record.observed, quota, isFresh);
  const known = all.flatMap(({ atMs, used }) => (used === null ? [] : [{ atMs, used }]));
  if (known.length < minPoints) return null;
  const points = known.map((point, i) => {
    const before = known[i - 1];
    const isConnected =
      before !== undefined && !isGap(record.observed, before, point, staleAfterMs);
    return { atMs: point.atMs, used: point.used, isConnected };
  });
  return { kind: 'trend', points, limit: quota.limit, fullInMs };
}
