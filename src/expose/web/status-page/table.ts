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
}

export interface Row {
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
function table({ id, caption, columns, rows }: SectionOptions): Html {
  return html`<table role="table" class="${id}">
    <caption>
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(
          ({ label, className }) =>
            html`<th role="columnheader" scope="col" class="${className}">${label}</th>`,
        )}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map((row) => tableRow(row, columns))}
    </tbody>
  </table>`;
}

function tableRow({ className, cells }: Row, columns: readonly Column[]): Html {
  return html`<tr role="row" class="${className}">
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
