/** A section of the page with a table. */
import { html, raw } from 'hono/html';
import { severityOf, type Word } from '../severity.ts';
import type { Cell, ShownRow, TableSettings } from '../tables/table.ts';
import { figure } from '../text.ts';
import { id, line, link, small, tag, type Html } from '../tables/html.ts';

/** A section of the page. Its rows are objects that never change, so the text of each is remembered. */
export interface Section<Row extends object = object> {
  readonly id: string;
  readonly title: string;
  /** Describes the rows and their order. */
  readonly caption: string;
  readonly rows: readonly Row[];
  show(row: Row, settings: TableSettings): ShownRow;
  /** Maximum number of rows that are shown. Defaults to 100. */
  readonly max?: number;
  /** The text for a section without rows. */
  readonly empty: string;
}

/** @param texts the markup of the rows that are shown */
export function sectionHtml(
  section: Section,
  texts: readonly string[],
  settings: TableSettings,
): Html {
  const { caption, empty, id: name, rows, title } = section;
  const [first] = rows;
  const more = rows.length - texts.length;
  const cells = first === undefined ? [] : section.show(first, settings).cells;
  const heads = cells.map(
    (cell) => html`<th role="columnheader" scope="col" class="${cell.role}">${cell.title}</th>`,
  );
  return html`<section id="${name}" aria-labelledby="${name}-title">
    <h2 id="${name}-title">${title} <span class="count">${figure(rows.length)}</span></h2>
    ${
      rows.length === 0
        ? html`<p class="empty">${empty}</p>`
        : html`<table role="table" class="rows ${name}">
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
          </table>`
    }
    ${more > 0 ? moreHtml(figure(more)) : ''}
  </section>`;
}

export function moreHtml(count: string): Html {
  return html`<p class="more">and ${count} more: <a href="#narrow">narrow it down</a></p>`;
}

/** Columns whose texts are names, mostly from outside. */
const names = ['name', 'where', 'account', 'detail target', 'detail daemon'];

/**
 * The roles repeat the meaning of the elements. The style of a phone changes how tables are displayed, and browsers
 * then drop that meaning.
 */
export function rowHtml({ cells, word = 'none' }: ShownRow): Html {
  const isUntold = severityOf({ word }) !== 'fine' && cells.every(({ role }) => role !== 'state');
  const contents = cells.map((cell) => {
    const content = cellHtml(cell, word);
    return cell.role === 'name'
      ? html`<th role="rowheader" scope="row" class="name">
          ${content} ${isUntold ? tag(word) : ''}
        </th>`
      : html`<td role="cell" class="${cell.role}" data-label="${cell.title}">${content}</td>`;
  });
  return html`<tr role="row" class="${word}">
    ${contents}
  </tr>`;
}

function cellHtml({ href, html: own = null, role, texts = [] }: Cell, word: Word): Html {
  if (own !== null) return own;
  const [first, ...others] = texts.filter((text) => text !== '');
  if (first === undefined) return html`<span class="none">–</span>`;
  if (role === 'state') return html`${tag(word, first, href)} ${others.map(small)}`;
  const content = names.includes(role) ? id(first) : first;
  return html`${link(href, content)} ${others.map(role.startsWith('lines') ? line : small)}`;
}
