/** Tables in a terminal: aligned columns, with a bar where there is room for one. */
import type { Column, Piece, Table, Word } from '../tables.ts';
import { barOf } from './bar.ts';
import { failedStyle, type Paint, type Style } from './style.ts';

/** A piece of a cell that has one style. */
interface Span {
  readonly text: string;
  readonly style?: Style;
}

type Cell = readonly Span[];

/** A column with its cells. */
interface Filled {
  readonly title: string;
  readonly isRight: boolean;
  readonly cells: readonly Cell[];
}

export interface Surface {
  readonly paint: Paint;
  /** In characters. */
  readonly width: number;
}

/** Between two columns, in characters. */
const columnGap = 2;
/** Minimum width of a useful bar. */
const minBarWidth = 6;
const maxBarWidth = 30;

interface WordStyle {
  readonly word: Style;
  readonly bar: Style;
}

const critical: WordStyle = { word: ['bold', 'red'], bar: 'red' };
const low: WordStyle = { word: ['bold', 'yellow'], bar: 'yellow' };
const unknown: WordStyle = { word: failedStyle, bar: 'dim' };
const fine: WordStyle = { word: 'dim', bar: 'green' };

const styles: Readonly<Record<Word, WordStyle>> = {
  overdrawn: critical,
  critical,
  low,
  gone: low,
  failing: unknown,
  stale: unknown,
  incomplete: unknown,
  pending: unknown,
  unknown,
  fine,
  muted: fine,
  none: fine,
  up: fine,
};

/** The titles and the rows. A table without rows has no lines. */
export function tableLines<Row>(
  table: Table<Row>,
  rows: readonly Row[],
  { paint, width }: Surface,
): string[] {
  const { columns } = table;
  if (rows.length === 0) return [];
  const filled = columns.map((column) => filledOf(column, rows));
  const room = Math.min(maxBarWidth, width - columnGap - totalWidth(filled));
  const place = columns.findIndex((column) => 'bar' in column);
  if (place >= 0 && room >= minBarWidth) {
    const cells = rows.map((row) =>
      barCell(columns[place]?.bar?.(row) ?? null, room, styles[table.wordOf?.(row) ?? 'fine'].bar),
    );
    filled.splice(place, 0, { title: '', isRight: false, cells });
  }
  const titles = filled.map(({ title }): Cell => [{ text: title, style: 'dim' }]);
  const lines = rows.map((_row, i) => filled.map(({ cells }) => cells[i] ?? []));
  return [titles, ...lines].map((cells) => lineOf(cells, filled, paint));
}

function filledOf<Row>(column: Column<Row>, rows: readonly Row[]): Filled {
  return {
    title: column.label.toUpperCase(),
    isRight: column.isNumber === true,
    cells: rows.map((row) =>
      column
        .cell(row)
        .filter(({ only, text }) => only !== 'page' && text !== '')
        .map(spanOf),
    ),
  };
}

function spanOf({ isTag, look, text, word }: Piece, i: number): Span {
  const gap = look === 'line' ? '; ' : ' ';
  const shown = `${i === 0 ? '' : gap}${isTag === true && word === 'none' ? '–' : text}`;
  if (word !== undefined) return { text: shown, style: styles[word].word };
  return look === 'dim' || look === 'none' ? { text: shown, style: 'dim' } : { text: shown };
}

function barCell(used: number | null, width: number, style: Style): Cell {
  if (used === null) return [{ text: ' '.repeat(width) }];
  const { empty, filled } = barOf(used, width);
  return [
    { text: filled, style },
    { text: empty, style: 'dim' },
  ];
}

function lineOf(cells: readonly Cell[], columns: readonly Filled[], paint: Paint): string {
  return cells
    .map((cell, i) => {
      const column = columns[i];
      const padding = ' '.repeat(column === undefined ? 0 : columnWidth(column) - cellWidth(cell));
      const text = cell.map((span) => (span.style ? paint(span.style, span.text) : span.text));
      if (column?.isRight === true) return padding + text.join('');
      return text.join('') + (i === cells.length - 1 ? '' : padding);
    })
    .join(' '.repeat(columnGap));
}

function totalWidth(columns: readonly Filled[]): number {
  return columns.reduce((sum, column) => sum + columnGap + columnWidth(column), -columnGap);
}

function columnWidth({ cells, title }: Filled): number {
  return cells.reduce((width, cell) => Math.max(width, cellWidth(cell)), title.length);
}

function cellWidth(cell: Cell): number {
  return cell.reduce((width, { text }) => width + text.length, 0);
}
