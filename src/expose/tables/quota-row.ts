/** A quota in the table of quotas: its numbers, and on the page its trend. */
import { html } from 'hono/html';
import { fillLink, runbookLink } from '../../model/links.ts';
import type { SeverityLabels } from '../../model/thresholds.ts';
import { resourceOf, type EvaluatedQuota } from '../evaluation.ts';
import { quotaLabels } from '../filter.ts';
import { numberText, type Texts } from '../../model/texts/texts.ts';
import { remainingShareText, zoneOrRegion } from '../text.ts';
import { link, small, time, type Html } from './html.ts';
import { trendLine } from './trend-line.ts';
import { accountCell, stateCell, type ToRow } from './table.ts';

/** The alert of a quota, by the reason of its severity. */
const quotaAlerts: Readonly<Record<SeverityLabels['reason'], string>> = {
  low: 'CvmQuotaLow',
  exhausted: 'CvmQuotaExhausted',
  overdrawn: 'CvmQuotaExhausted',
  disappeared: 'CvmQuotaDisappeared',
};

export const quotaTableRow: ToRow<EvaluatedQuota> = (evaluatedQuota, context) => {
  const { collectors, links, texts } = context;
  const { grafana, runbooks } = links;
  const { say, word } = texts;
  const { evaluated, quota, remainingShare, severityLabels, state } = evaluatedQuota;
  const { limit, remaining, type, unit, used } = quota;
  const alert = severityLabels === null ? undefined : quotaAlerts[severityLabels.reason];
  const labels = quotaLabels(evaluatedQuota);
  const href = runbookLink(runbooks, alert, labels);
  const resource = Object.values(resourceOf(evaluatedQuota));
  const isUnitInType = type.includes(unit.replace(/s$/, ''));
  const named = [type, ...resource, isUnitInType ? '' : word(unit)];
  const share = remainingShareText(evaluatedQuota);
  // The bar is hidden from assistive technology, because the numbers are beside it.
  const bar =
    remainingShare !== null &&
    html`<progress value="${remainingShare}" aria-hidden="true"></progress>`;
  const shown = lastKnownContent(evaluatedQuota, texts) ?? html`${bar} <b>${share}</b>`;
  const left = { texts: [share], bar: remainingShare, content: shown };
  const rest = [numberText(remaining), say('of {limit}', { limit })];
  const name = word(collectors.quotaName(type));
  const note = word(evaluated.collector.quotaNote(quota));
  const content = html`${link(grafana && fillLink(grafana, labels), name)} ${resource.map(small)}
  ${name === type && small(word(unit))}
  ${name !== type.replaceAll('_', ' ') && html`<code>${type}</code>`} ${note && small(note)}`;
  return {
    state,
    cells: [
      stateCell(state, say(state === 'none' ? 'limit 0' : state), href, texts),
      { role: 'name', title: say('Quota'), texts: named, content },
      { role: 'where', title: say('Where'), texts: [zoneOrRegion(evaluatedQuota)] },
      accountCell(evaluated.record.target.account, texts),
      { role: 'figure share', title: say('Left'), ...left },
      { role: 'figure remaining', title: say('Remaining'), texts: rest },
      { role: 'figure used', title: say('Used'), texts: [numberText(used)] },
      { role: 'trend', title: say('Trend of use'), content: trendLine(evaluatedQuota, texts) },
    ],
  };
};

/** When the numbers were known last. `null` for numbers of the present. */
function lastKnownContent({ goneSinceMs, evaluated }: EvaluatedQuota, { say }: Texts): Html | null {
  if (goneSinceMs !== null) return html`<small>${say('gone since')}</small> ${time(goneSinceMs)}`;
  const known = time(evaluated.record.observed.freshness.lastSuccessAtMs);
  return evaluated.isFresh ? null : known && html`<small>${say('as of')}</small> ${known}`;
}
