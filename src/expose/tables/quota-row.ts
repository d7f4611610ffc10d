/** A quota in the table of quotas: its numbers, and on the page its trend. `tables.ts` makes the rows. */
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

/** The row of a quota. The page and the table of `check` show its cells in this order. */
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
  // For the terminal: the type, and the unit unless the type says it, as `launch_template_versions` does.
  const isUnitInType = type.includes(unit.replace(/s$/, ''));
  const nameTexts = [type, ...resource, isUnitInType ? '' : word(unit)];
  const share = remainingShareText(evaluatedQuota);
  // The bar is hidden from assistive technology, because the numbers are beside it.
  const bar =
    remainingShare !== null &&
    html`<progress value="${remainingShare}" aria-hidden="true"></progress>`;
  const shareContent = lastKnownContent(evaluatedQuota, texts) ?? html`${bar} <b>${share}</b>`;
  const shareTexts = { texts: [share], bar: remainingShare, content: shareContent };
  const remainingTexts = [numberText(remaining), say('of {limit}', { limit })];
  // For the page: the name that people call the type, and the type beside it. A type without a name is its own name.
  const name = word(collectors.quotaName(type));
  const note = word(evaluated.collector.quotaNote(quota));
  const content = html`${link(grafana && fillLink(grafana, labels), name)} ${resource.map(small)}
  ${name === type && small(word(unit))}
  ${name !== type.replaceAll('_', ' ') && html`<code>${type}</code>`} ${note && small(note)}`;
  return {
    state,
    cells: [
      stateCell(state, say(state === 'none' ? 'limit 0' : state), href, texts),
      { role: 'name', title: say('Quota'), texts: nameTexts, content },
      { role: 'where', title: say('Where'), texts: [zoneOrRegion(evaluatedQuota)] },
      accountCell(evaluated.record.target.account, texts),
      { role: 'figure share', title: say('Left'), ...shareTexts },
      { role: 'figure remaining', title: say('Remaining'), texts: remainingTexts },
      { role: 'figure used', title: say('Used'), texts: [numberText(used)] },
      { role: 'trend', title: say('Trend of use'), content: trendLine(evaluatedQuota, texts) },
    ],
  };
};

/** When the numbers were known last, in place of the bar and the share. `null` for numbers of the present. */
function lastKnownContent({ goneSinceMs, evaluated }: EvaluatedQuota, { say }: Texts): Html | null {
  if (goneSinceMs !== null) return html`<small>${say('gone since')}</small> ${time(goneSinceMs)}`;
  const known = time(evaluated.record.observed.freshness.lastSuccessAtMs);
  return evaluated.isFresh ? null : known && html`<small>${say('as of')}</small> ${known}`;
}
