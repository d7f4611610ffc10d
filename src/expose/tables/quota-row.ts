/** A quota in the table of quotas: its numbers, and on the page its trend. */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { fillLink, runbookLink, type Links } from '../../model/links.ts';
import type { SeverityLabels } from '../../model/thresholds.ts';
import { resourceOf, type EvaluatedQuota } from '../evaluation.ts';
import { quotaLabels } from '../filter.ts';
import { numberText, type Texts } from '../../model/texts/texts.ts';
import { remainingShareText, zoneOrRegion } from '../text.ts';
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
  texts: Texts,
): TableRow {
  const { say, word } = texts;
  const { evaluated, quota, remainingShare, severityLabels, state } = evaluatedQuota;
  const { limit, remaining, type, unit, used } = quota;
  const alert = severityLabels === null ? undefined : quotaAlerts[severityLabels.reason];
  const labels = quotaLabels(evaluatedQuota);
  const href = runbookLink(runbooks, alert, labels);
  const isUnitInType = type.includes(unit.replace(/s$/, ''));
  const name = [type, ...Object.values(resourceOf(evaluatedQuota)), isUnitInType ? '' : word(unit)];
  const left = { texts: [remainingShareText(evaluatedQuota)], bar: remainingShare };
  const rest = [numberText(remaining), say('of {limit}', { limit })];
  const content = {
    named: evaluatedQuota,
    name: word(collectors.quotaName(type)),
    note: word(evaluated.collector.quotaNote(quota)),
    dashboard: grafana && fillLink(grafana, labels),
  };
  return {
    state,
    cells: [
      {
        role: 'state',
        title: say('State'),
        texts: [state === 'none' ? say('limit 0') : say(state)],
        href,
      },
      { role: 'name', title: say('Quota'), texts: name, content },
      { role: 'where', title: say('Where'), texts: [zoneOrRegion(evaluatedQuota)] },
      accountCell(evaluated.record.target.account, texts),
      {
        role: 'figure share',
        title: say('Left'),
        ...left,
        content: lastKnownContent(evaluatedQuota, texts),
      },
      { role: 'figure remaining', title: say('Remaining'), texts: rest },
      { role: 'figure used', title: say('Used'), texts: [numberText(used)] },
      { role: 'trend', title: say('Trend of use'), content: { trend: evaluatedQuota } },
    ],
  };
}

/** When the numbers were known last. `null` for numbers of the present. */
function lastKnownContent(
  { goneSinceMs, evaluated }: EvaluatedQuota,
  { say }: Texts,
): PageContent | null {
  const { lastSuccessAtMs } = evaluated.record.observed.freshness;
  if (goneSinceMs !== null) return { atMs: goneSinceMs, label: say('gone since') };
  if (evaluated.isFresh || lastSuccessAtMs === null) return null;
  return { atMs: lastSuccessAtMs, label: say('as of') };
}
