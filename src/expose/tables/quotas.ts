import { html } from 'hono/html';
import { isOverdrawn } from '../../model/judgement.ts';
import { fillLink, runbookLink } from '../../model/links.ts';
import { quotaLabels } from '../filter.ts';
import { isBad } from '../severity.ts';
import { figure, shareText, whereOf } from '../text.ts';
import { resourceOf, type QuotaRow } from '../evaluated-record.ts';
import { link, small, time, type Html } from './html.ts';
import { accountCell, type ShownRow, type TableSettings } from './table.ts';
import { trendCell } from './trend-line.ts';

export function quotaRow(row: QuotaRow, settings: TableSettings): ShownRow {
  const { links, today } = settings;
  const { limit, remaining, type, unit, used } = row.quota;
  const isExhausted = isOverdrawn(row.quota) || remaining === 0;
  const alert = isExhausted ? 'CvmQuotaExhausted' : 'CvmQuotaLow';
  const isUnitTold = type.includes(unit.replace(/s$/, ''));
  const texts = [type, ...Object.values(resourceOf(row)), isUnitTold ? '' : unit];
  const bar = row.remainingShare === null ? null : 1 - row.remainingShare;
  const left = { texts: [shareText(row)], bar, html: pastCell(row, today) };
  const rest = [figure(remaining), `of ${figure(limit)}`];
  const state = row.state === 'none' ? 'limit 0' : row.state;
  const href = runbookLink(links.runbooks, isBad(row) ? alert : undefined, quotaLabels(row));
  return {
    state: row.state,
    cells: [
      { role: 'state', title: 'State', texts: [state], href },
      { role: 'name', title: 'Quota', texts, html: nameCell(row, settings) },
      { role: 'where', title: 'Where', texts: [whereOf(row)] },
      accountCell(row.evaluated.record.target.account),
      { role: 'figure share', title: 'Left', ...left },
      { role: 'figure remaining', title: 'Remaining', texts: rest },
      { role: 'figure used', title: 'Used', texts: [figure(used)] },
      { role: 'trend', title: 'Trend of use', html: trendCell(row) },
    ],
  };
}

/** The plain name is before the type. */
function nameCell(row: QuotaRow, { collectors, links }: TableSettings): Html {
  const { type, unit } = row.quota;
  const name = collectors.quotaName(type);
  const href = links.grafana && fillLink(links.grafana, quotaLabels(row));
  const note = row.evaluated.collector.quotaNote(row.quota);
  return html`${link(href, name)} ${Object.values(resourceOf(row)).map(small)}
  ${name === type ? small(unit) : html`<code>${type}</code>`} ${note && small(note)}`;
}

/** Until when the numbers were known. `null` for numbers of the present. */
function pastCell({ goneSinceMs, evaluated }: QuotaRow, today: string): Html | null {
  const { lastSuccessAtMs } = evaluated.record.observed.freshness;
  if (goneSinceMs !== null) return html`<small>gone since</small> ${time(goneSinceMs, today)}`;
  if (evaluated.isFresh) return null;
  return html`<small>known until</small> ${time(lastSuccessAtMs, today)}`;
}
