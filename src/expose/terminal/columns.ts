/** Rows of cells as lines in aligned columns. */
import type { Paint, Style } from './style.ts';

/** A piece of a cell that has one style. */
export interface Span {
  readonly text: string;
  readonly style?: Style;
}

export type Cell = readonly Span[];

export interface Column {
  readonly title: string;
  readonly align?: 'right';
}

export interface Table {
  readonly columns: readonly Column[];
  /** Each row has as many cells as there are columns. */
  readonly rows: readonly (readonly Cell[])[];
}

/** Between two columns, in characters. */
export const columnGap = 2;

/** The titles and the rows. A table without rows has no lines. */
export function tableLines({ columns, rows }: Table, paint: Paint): string[] {
  if (rows.length === 0) return [];
  const widths = columnWidths({ columns, rows });
  const titles = columns.map(({ title }): Cell => [{ text: title, style: 'dim' }]);
  return [titles, ...rows].map((cells) =>
    cells
      .map((cell, i) => {
        const padding = ' '.repeat((widths[i] ?? 0) - cellWidth(cell));
        const text = cell.map((span) => (span.style ? paint(span.style, span.text) : span.text));
        if (columns[i]?.align === 'right') return padding + text.join('');
        return text.join('') + (i === cells.length - 1 ? '' : padding);
      })
      .join(' '.repeat(columnGap)),
  );
}

/** The greatest width of the lines of a table. */
export function tableWidth(table: Table): number {
  return columnWidths(table).reduce((sum, width) => sum + columnGap + width, -columnGap);
}

function columnWidths({ columns, rows }: Table): number[] {
  return columns.map(({ title }, i) =>
    rows.reduce((width, row) => Math.max(width, cellWidth(row[i] ?? [])), title.length),
  );
}

function cellWidth(cell: Cell): number {
  return cell.reduce((width, { text }) => width + text.length, 0);
}
