/** A section of the page with a table. */
import { html, raw } from 'hono/html';
import type { DisplayState } from '../severity.ts';
import { link, small, type Html } from '../tables/html.ts';
import type { Cell, ShownRow, Table, TableSettings } from '../tables/table.ts';
import { figure } from '../text.ts';

/** @param texts the markup of the rows that are shown */
export function sectionHtml(table: Table, texts: readonly string[], settings: TableSettings): Html {
  const { caption, id: name, rows, title } = table;
  const cells = rows.slice(0, 1).flatMap((row) => table.show(row, settings).cells);
  const heads = cells.map(
    (cell) => html`<th role="columnheader" scope="col" class="${cell.role}">${cell.title}</th>`,
  );
  return html`<section id="${name}" aria-labelledby="${name}-title">
    <h2 id="${name}-title">${title} <span class="count">${figure(rows.length)}</span></h2>
    <table role="table" class="rows ${name}">
      <caption>
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${heads}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${raw(texts.join(''))}
      </tbody>
    </table>
    ${moreHtml(rows.length - texts.length)}
  </section>`;
}

export function moreHtml(count: number): Html | false {
  return (
    count > 0 &&
    html`<p class="more">and ${figure(count)} more: <a href="#narrow">narrow it down</a></p>`
  );
}

/**
 * The roles repeat the meaning of the elements. The style of a phone changes how tables are displayed, and browsers
 * then drop that meaning.
 */
export function rowHtml({ cells, state = 'none' }: ShownRow): Html {
  const contents = cells.map((cell) => {
    const content = cellHtml(cell, state);
    return cell.role === 'name'
      ? html`<th role="rowheader" scope="row" class="name">${content}</th>`
      : html`<td role="cell" class="${cell.role}" data-label="${cell.title}">${content}</td>`;
  });
  return html`<tr role="row" class="${state}">
    ${contents}
  </tr>`;
}

/** The bar is hidden from assistive technology, because the numbers are beside it. */
function cellHtml({ bar, href, html: own, role, texts = [] }: Cell, word: DisplayState): Html {
  if (own) return own;
  const [first, ...others] = texts.filter((text) => text !== '');
  if (first === undefined) return html`<span class="none">–</span>`;
  if (bar !== undefined) {
    return html`${bar !== null && html`<progress value="${bar}" aria-hidden="true"></progress>`}
      <b>${first}</b>`;
  }
  const label =
    role === 'state' ? html`<span class="tag ${word}">${first}</span>` : html`<bdi>${first}</bdi>`;
  return html`${link(href, label)} ${others.map(small)}`;
}
