/** The form of every table on the status page: rows on a wide screen, cards on a phone. */
import { html } from 'hono/html';
import { figure } from '../../number-format.ts';
import type { Html } from './format.ts';
import type { Page } from './paging.ts';
import { linkTo, type StatusQuery } from './query.ts';

export interface Column {
  readonly label: string;
  /** The role of the cell, for the style. */
  readonly className: string;
  /** The name of its order, for a column that sorts the table. */
  readonly order?: string;
}

export interface Row {
  /** The anchor of the row. */
  readonly id?: string;
  readonly className: string;
  /** One per column; the first names the row. */
  readonly cells: readonly Cell[];
}

export type Cell = Html | string;

interface SectionOptions {
  readonly id: string;
  readonly title: string;
  /** Describes the rows and their order. */
  readonly caption: string;
  /** The text for a table without rows. */
  readonly empty: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly page: Omit<Page<unknown>, 'rows'>;
  readonly query: StatusQuery;
}

export function tableSection(options: SectionOptions): Html {
  const { id, title, empty, page } = options;
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title} <span class="count">${figure(page.total)}</span></h2>
    ${page.total === 0 ? html`<p class="empty">${empty}</p>` : [table(options), pager(options)]}
  </section>`;
}

/**
 * The roles repeat the meaning of the elements. The phone style changes how tables are displayed, and browsers
 * then drop that meaning.
 */
function table({ id, caption, columns, query, rows }: SectionOptions): Html {
  return html`<table role="table" class="${id}">
    <caption>
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map((column) => columnHeader(column, id, query))}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map((row) => tableRow(row, columns))}
    </tbody>
  </table>`;
}

/** The first click on a column of numbers gives the lowest first, and the second click the highest. */
function columnHeader({ className, label, order }: Column, id: string, query: StatusQuery): Html {
  const chosen = query.orders[id];
  const isChosen = order !== undefined && chosen?.column === order;
  const direction = chosen?.isDescending === true ? 'descending' : 'ascending';
  const next = { column: order ?? '', isDescending: isChosen && direction === 'ascending' };
  const href = linkTo(query, { orders: { ...query.orders, [id]: next } }, id);
  const mark = html`<span class="order" aria-hidden="true"
    >${direction === 'ascending' ? '↑' : '↓'}</span
  >`;
  return html`<th
    role="columnheader"
    scope="col"
    class="${className}${order === undefined ? ' fixed' : ''}"
    aria-sort="${isChosen ? direction : 'none'}"
  >
    ${order === undefined ? label : html`<a href="${href}">${label}${isChosen ? mark : ''}</a>`}
  </th>`;
}

function tableRow({ id, className, cells }: Row, columns: readonly Column[]): Html {
  return html`<tr role="row" class="${className}" ${id === undefined ? '' : html`id="${id}"`}>
    ${columns.map(({ label, className: place }, i) =>
      i === 0
        ? html`<th role="rowheader" scope="row" class="${place}">${cells[i]}</th>`
        : html`<td role="cell" class="${place}" data-label="${label}">${cells[i]}</td>`,
    )}
  </tr> `;
}

function pager({ id, title, page, query, rows }: SectionOptions): Html | '' {
  const { count, first, number, total } = page;
  if (count === 1) return '';
  const link = (to: number, text: string, rel: 'prev' | 'next') => {
    if (to < 1 || to > count) return html`<span class="off">${text}</span>`;
    const href = linkTo(query, { pages: { ...query.pages, [id]: to } }, id);
    return html`<a href="${href}" rel="${rel}">${text}</a>`;
  };
  return html`<nav class="pager" aria-label="Pages of ${title.toLowerCase()}">
    ${link(number - 1, 'Previous', 'prev')}
    <span>${figure(first)}–${figure(first + rows.length - 1)} of ${figure(total)}</span>
    ${link(number + 1, 'Next', 'next')}
  </nav>`;
}
