/** The markup of any table: its section, its rows, and their cells. */
import { html, raw } from 'hono/html';
import type { DisplayState } from '../display-state.ts';
import { resourceOf } from '../evaluation.ts';
import type { Cell, PageContent, Table, TableRow } from '../tables/table.ts';
import { numberText, type Texts } from '../../model/texts/texts.ts';
import { link, since, small, time, type Html } from './html.ts';
import { strip } from './strip.ts';
import { trendLine } from './trend-line.ts';

/** @param rows the markup of the rows that are shown, by {@link rowHtml} */
export function sectionHtml(table: Table, rows: readonly string[], texts: Texts): Html {
  const { caption, id, items, title } = table;
  const cells = items.slice(0, 1).flatMap((item) => table.toRow(item).cells);
  const heads = cells.map(
    (cell) => html`<th role="columnheader" scope="col" class="${cell.role}">${cell.title}</th>`,
  );
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title} <span class="count">${numberText(items.length)}</span></h2>
    <table role="table" class="rows ${id}">
      <caption>
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${heads}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${raw(rows.join(''))}
      </tbody>
    </table>
    ${moreHtml(items.length - rows.length, texts)}
  </section>`;
}

/** A line about rows that are left out. `false`, and so no markup, if there are none. */
export function moreHtml(count: number, { say }: Texts): Html | false {
  return (
    count > 0 &&
    html`<p class="more">
      ${say('and {count} more', { count })}: <a href="#narrow">${say('narrow it down')}</a>
    </p>`
  );
}

/**
 * The roles repeat the meaning of the elements. The style of a phone changes how tables are displayed, and browsers
 * then drop that meaning.
 *
 * @param today the day that times do not name, such as `2026-02-03`
 */
export function rowHtml({ cells, state = 'none' }: TableRow, today: string, texts: Texts): Html {
  const contents = cells.map((cell) => {
    const content =
      (cell.content && contentHtml(cell.content, today, texts)) ??
      textsHtml(cell, state, today, texts);
    return cell.role === 'name'
      ? html`<th role="rowheader" scope="row" class="name">${content}</th>`
      : html`<td role="cell" class="${cell.role}" data-label="${cell.title}">${content}</td>`;
  });
  return html`<tr role="row" class="${state}">
    ${contents}
  </tr>`;
}

/** The bar is hidden from assistive technology, because the numbers are beside it. */
function textsHtml(
  { bar, href, role, sinceMs = null, texts: all = [] }: Cell,
  state: DisplayState,
  today: string,
  texts: Texts,
): Html {
  const [first, ...others] = all.filter((text) => text !== '');
  if (first === undefined) return html`<span class="none">–</span>`;
  if (bar !== undefined) {
    return html`${bar !== null && html`<progress value="${bar}" aria-hidden="true"></progress>`}
      <b>${first}</b>`;
  }
  const label =
    role === 'state' ? html`<span class="tag ${state}">${first}</span>` : html`<bdi>${first}</bdi>`;
  return html`${link(href, label)} ${others.map(small)}
  ${sinceMs !== null && small(since(sinceMs, today, texts))}`;
}

function contentHtml(content: PageContent, today: string, texts: Texts): Html | string | null {
  if (typeof content === 'string') return content;
  if ('atMs' in content) {
    const { atMs, label } = content;
    const text = time(atMs, today);
    return label === undefined ? text : html`<small>${label}</small> ${text}`;
  }
  if ('named' in content) {
    const { dashboard, name, named, note } = content;
    const { type } = named.quota;
    const unit = texts.word(named.quota.unit);
    return html`${link(dashboard, name)} ${Object.values(resourceOf(named)).map(small)}
    ${name === type && small(unit)}
    ${name !== type.replaceAll('_', ' ') && html`<code>${type}</code>`} ${note && small(note)}`;
  }
  if ('trend' in content) return trendLine(content.trend, texts);
  if ('strip' in content) {
    return html`${strip(content.strip, today, texts)} ${content.lines.map(small)}`;
  }
  const { code, requestId, sinceMs } = content.failure;
  return html`<code>${code}</code> ${since(sinceMs, today, texts)} ${content.lines.map(small)}
    ${requestId && small(html`RequestId <code class="request-id">${requestId}</code>`)}`;
}
