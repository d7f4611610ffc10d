import { html } from 'hono/html';
import { fillLink, runbookLink } from '../../model/links.ts';
import { quotaLabels } from '../filter.ts';
import { link, small, time, type Html } from './html.ts';
import { trendCell } from './trend-line.ts';
import { isBad, isOverdrawn } from '../severity.ts';
import { figure, plainName, shareText, whereOf } from '../text.ts';
import { resourceOf, type QuotaRow } from '../watched.ts';
import { accountCell, type ShownRow, type TableSettings } from './table.ts';

export function quotaRow(row: QuotaRow, { links, today }: TableSettings): ShownRow {
  const { limit, remaining, type, unit, used } = row.quota;
  const isExhausted = isOverdrawn(row.quota) || remaining === 0;
  const alert = isExhausted ? 'CvmQuotaExhausted' : 'CvmQuotaLow';
  const isUnitTold = type.includes(unit.replace(/s$/, ''));
  const texts = [type, ...Object.values(resourceOf(row)), isUnitTold ? '' : unit];
  const state = row.word === 'none' ? 'limit 0' : row.word;
  const href = runbookLink(links.runbooks, isBad(row) ? alert : undefined, quotaLabels(row));
  const rest = [figure(remaining), `of ${figure(limit)}`];
  return {
    word: row.word,
    bar: usedPart(row),
    cells: [
      { role: 'state', title: 'State', texts: [state], href },
      { role: 'name', title: 'Quota', texts, html: nameCell(row, links.grafana) },
      { role: 'where', title: 'Where', texts: [whereOf(row)] },
      accountCell(row.watched.record.target.account),
      { role: 'figure share', title: 'Left', texts: [shareText(row)], html: shareCell(row, today) },
      { role: 'figure remaining', title: 'Remaining', texts: rest },
      { role: 'figure used', title: 'Used', texts: [figure(used)] },
      { role: 'trend', title: 'Trend of use', html: trendCell(row) },
    ],
  };
}

/** The plain name is before the type. */
function nameCell(row: QuotaRow, grafana: string | null): Html {
  const { type, unit } = row.quota;
  const name = plainName(type);
  const href = grafana === null ? null : fillLink(grafana, quotaLabels(row));
  const note = row.watched.collector.quotaNote(row.quota);
  return html`${link(href, name)} ${Object.values(resourceOf(row)).map(small)}
  ${name === type ? small(unit) : html`<code>${type}</code>`} ${note === '' ? '' : small(note)}`;
}

/**
 * The bar is hidden from assistive technology, because the numbers are beside it. Its length is an attribute, because
 * the policy of the page allows no style on an element.
 */
function shareCell(row: QuotaRow, today: string): Html {
  const { lastSuccessAtMs } = row.watched.record.seen.freshness;
  if (!isPresent(row)) {
    const isGone = row.goneSinceMs !== null;
    const atMs = row.goneSinceMs ?? lastSuccessAtMs ?? 0;
    return html`<small>${isGone ? 'gone since' : 'known until'}</small> ${time(atMs, today)}`;
  }
  const used = usedPart(row);
  if (used === null) return html`<b>${shareText(row)}</b>`;
  return html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="1" />
      <rect class="fill" width="${Math.round(used * 1_000) / 10}" height="1" />
    </svg>
    <b>${shareText(row)}</b>`;
}

/** Whether the numbers of a quota are those of the present. */
function isPresent({ goneSinceMs, watched }: QuotaRow): boolean {
  return watched.isFresh && goneSinceMs === null;
}

/** From 0 to 1. `null` while it is not known. */
function usedPart(row: QuotaRow): number | null {
  if (!isPresent(row)) return null;
  if (isOverdrawn(row.quota)) return 1;
  return row.remainingShare === null ? null : 1 - row.remainingShare;
}
