/** A section of the page with a table. */
import { html, raw } from 'hono/html';
import { figure } from '../number-format.ts';
import type { Column, Piece, Table } from '../tables/table.ts';
import { id, time, type Html } from './html.ts';

/** A section of the page. Its rows are objects that never change, so the text of each is remembered. */
export interface Section<Row extends object = object> {
  readonly id: string;
  readonly title: string;
  /** Describes the rows and their order. */
  readonly caption: string;
  readonly table: PageTable<Row>;
  readonly rows: readonly Row[];
  /** Maximum number of rows that are shown. Defaults to 100. */
  readonly max?: number;
  /** The text for a section without rows. */
  readonly empty: string;
}

/** A column that only the page has. */
export interface Picture<Row> extends Omit<Column<Row>, 'cell'> {
  picture(row: Row): Html;
}

export interface PageTable<Row> extends Omit<Table<Row>, 'columns'> {
  readonly columns: readonly (Column<Row> | Picture<Row>)[];
}

const defaultMax = 100;

/** The rows of a section that are shown. */
export function shownRows({ max = defaultMax, rows }: Section): readonly object[] {
  return rows.slice(0, max);
}

/** @param texts the markup of the rows that are shown */
export function sectionHtml(section: Section, texts: readonly string[]): Html {
  const { caption, empty, id: name, rows, table, title } = section;
  const more = rows.length - texts.length;
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
                ${table.columns.map(
                  (head) =>
                    html`<th role="columnheader" scope="col" class="${classOf(head)}">
                      ${head.label}
                    </th>`,
                )}
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

function classOf({ isNumber = false, role }: Omit<Column<never>, 'cell'>): string {
  return isNumber ? `${role} number` : role;
}

/**
 * The roles repeat the meaning of the elements. The style of a phone changes how tables are displayed, and browsers
 * then drop that meaning.
 */
export function rowHtml<Row>(table: PageTable<Row>, row: Row, today: string): Html {
  return html`<tr role="row" class="${table.wordOf?.(row) ?? ''}">
    ${table.columns.map((column) => cellHtml(column, row, today))}
  </tr>`;
}

function cellHtml<Row>(column: PageTable<Row>['columns'][number], row: Row, today: string): Html {
  const content = 'picture' in column ? column.picture(row) : piecesHtml(column, row, today);
  return column.role === 'name'
    ? html`<th role="rowheader" scope="row" class="name">${content}</th>`
    : html`<td role="cell" class="${classOf(column)}" data-label="${column.label}">${content}</td>`;
}

function piecesHtml<Row>(column: Column<Row>, row: Row, today: string): Html {
  const used = column.bar?.(row) ?? null;
  const pieces = column.cell(row).filter(({ only }) => only !== 'terminal');
  return html`${used === null ? '' : barHtml(used)}
  ${pieces.map((piece) => html`${pieceHtml(piece, today)} `)}`;
}

function pieceHtml(piece: Piece, today: string): Html {
  const { atMs, href = null, isTag = false, text, word } = piece;
  const look = isTag ? html`class="tag ${word}"` : '';
  if (href !== null) return html`<a ${look} href="${href}">${isTag ? text : textHtml(piece)}</a>`;
  const content = isTag ? html`<span ${look}>${text}</span>` : textHtml(piece);
  return atMs === undefined ? content : html`${content} ${time(atMs, today)}`;
}

function textHtml({ look, text, word }: Piece): Html {
  switch (look) {
    case 'dim':
      return html`<small>${text}</small>`;
    case 'code':
      return html`<code>${text}</code>`;
    case 'id':
      return id(text);
    case 'line':
      return html`<small class="message">${text}</small>`;
    case 'request-id':
      return html`<small class="message">RequestId <code class="request-id">${text}</code></small>`;
    case 'none':
      return html`<span class="none">${text}</span>`;
    default:
      return word === undefined ? html`${text}` : html`<b>${text}</b>`;
  }
}

/**
 * The bar is hidden from assistive technology, because the numbers are beside it. Its length is an attribute, because
 * the policy of the page allows no style on an element.
 */
function barHtml(used: number): Html {
  return html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" width="100" height="1" />
    <rect class="fill" width="${Math.round(used * 1_000) / 10}" height="1" />
  </svg>`;
}
