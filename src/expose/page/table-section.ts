/** The markup of any table of the page: its section, its rows, and their cells. `page.ts` renders each table with it. */
import { html, raw } from 'hono/html';
import type { Cell, Table, TableRow } from '../tables/table.ts';
import { numberText, type Texts } from '../../model/texts/texts.ts';
import { compactMarkup, link, small, type Html } from '../tables/html.ts';

/**
 * The section of a table. The first row gives the titles of the columns.
 *
 * @param table has at least one item
 * @param rows the markup of the rows that are shown, by {@link rowMarkup}; fewer than the items if there are too many
 */
export function sectionHtml(table: Table, rows: readonly string[], texts: Texts): Html {
  const { caption, id, items, title } = table;
  const firstCells = items.slice(0, 1).flatMap((item) => table.toRow(item).cells);
  const heads = firstCells.map(
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

/** A line about rows that are left out, of a table or of the overview. `false`, and so no markup, if there are none. */
export function moreHtml(count: number, { say }: Texts): Html | false {
  return (
    count > 0 &&
    html`<p class="more">
      ${say('and {count} more', { count })}: <a href="#narrow">${say('narrow it down')}</a>
    </p>`
  );
}

/**
 * The markup of a row, as a text that `page.ts` memoizes. The ARIA roles repeat the meaning of the elements. The style of a
 * phone changes how tables are displayed, and browsers then drop that meaning.
 */
export function rowMarkup({ cells, state = 'none' }: TableRow): string {
  const contents = cells.map((cell) => {
    const content = cell.content ?? textsHtml(cell);
    return cell.role === 'name'
      ? html`<th role="rowheader" scope="row" class="name">${content}</th>`
      : html`<td role="cell" class="${cell.role}" data-label="${cell.title}">${content}</td>`;
  });
  return compactMarkup(
    html`<tr role="row" class="${state}">
      ${contents}
    </tr>`,
  );
}

function textsHtml({ href, texts = [] }: Cell): Html {
  const [first, ...others] = texts.filter((text) => text !== '');
  if (first === undefined) return html`<span class="none">–</span>`;
  return html`${link(href, html`<bdi>${first}</bdi>`)} ${others.map(small)}`;
}
