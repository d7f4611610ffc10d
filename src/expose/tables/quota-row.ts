/** A quota in the table of quotas: its numbers, and on the page its trend. */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { fillLink, runbookLink, type Links } from '../../model/links.ts';
import type { SeverityLabels } from '../../model/thresholds.ts';
import { resourceOf, type EvaluatedQuota } from '../evaluation.ts';
import { quotaLabels } from '../filter.ts';
import { numberText, remainingShareText, zoneOrRegion } from '../text.ts';
import { accountCell, type PageContent, type TableRow } from './table.ts';

/** The alert of a quota, by the reason of its severity. */
const quotaAlerts: Readonly<Record<SeverityLabels['reason'], string>> = {
  low: 'CvmQuotaLow',
  exhausted: 'CvmQuotaExhausted',
  overdrawn: 'CvmQuotaExhausted',
  disappeared: 'CvmQuotaDisappeared',
};

export function quotaTableRow(
  evaluatedQuota: EvaluatedQuota,
  collectors: CollectorSet,
  { grafana, runbooks }: Links,
): TableRow {
  const { evaluated, quota, remainingShare, severityLabels, state } = evaluatedQuota;
  const { limit, remaining, type, unit, used } = quota;
  const alert = severityLabels === null ? undefined : quotaAlerts[severityLabels.reason];
  const labels = quotaLabels(evaluatedQuota);
  const href = runbookLink(runbooks, alert, labels);
  const isUnitInType = type.includes(unit.replace(/s$/, ''));
  const name = [type, ...Object.values(resourceOf(evaluatedQuota)), isUnitInType ? '' : unit];
  const left = { texts: [remainingShareText(evaluatedQuota)], bar: remainingShare };
  const rest = [numberText(remaining), `of ${numberText(limit)}`];
  const content = {
    named: evaluatedQuota,
    name: collectors.quotaName(type),
    dashboard: grafana && fillLink(grafana, labels),
  };
  return {
    state,
    cells: [
      { role: 'state', title: 'State', texts: [state === 'none' ? 'limit 0' : state], href },
      { role: 'name', title: 'Quota', texts: name, content },
      { role: 'where', title: 'Where', texts: [zoneOrRegion(evaluatedQuota)] },
      accountCell(evaluated.record.target.account),
      { role: 'figure share', title: 'Left', ...left, content: lastKnownContent(evaluatedQuota) },
      { role: 'figure remaining', title: 'Remaining', texts: rest },
      { role: 'figure used', title: 'Used', texts: [numberText(used)] },
      { role: 'trend', title: 'Trend of use', content: { trend: evaluatedQuota } },
    ],
  };
}

/** When the numbers were known last. `null` for numbers of the present. */
function lastKnownContent({ goneSinceMs, evaluated }: EvaluatedQuota): PageContent | null {
  const { lastSuccessAtMs } = evaluated.record.observed.freshness;
  if (goneSinceMs !== null) return { atMs: goneSinceMs, label: 'gone since' };
  if (evaluated.isFresh || lastSuccessAtMs === null) return null;
  return { atMs: lastSuccessAtMs, label: 'as of' };
}
