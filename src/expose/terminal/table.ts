/** Tables in a terminal: aligned columns, with a bar where there is room for one. */
import { stripVTControlCharacters } from 'node:util';
import type { Piece, Table, Word } from '../tables/table.ts';
import { barOf } from './bar.ts';
import { failedStyle, type Paint, type Style } from './style.ts';

/** A column with its cells, painted. */
interface Filled {
  readonly isRight: boolean;
  /** The first one is the title. */
  readonly cells: readonly string[];
  /** In characters. */
  readonly width: number;
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
  const filled = columns.map((column) => {
    const texts = rows.map((row) => cellText(column.cell(row), paint));
    return filledOf([paint('dim', column.label.toUpperCase()), ...texts], column.isNumber);
  });
  const taken = filled.reduce((sum, column) => sum + columnGap + column.width, 0);
  const room = Math.min(maxBarWidth, width - taken);
  const place = columns.findIndex((column) => 'bar' in column);
  if (place >= 0 && room >= minBarWidth) {
    const bars = rows.map((row) => {
      const used = columns[place]?.bar?.(row) ?? null;
      if (used === null) return ' '.repeat(room);
      const bar = barOf(used, room);
      return paint(styles[table.wordOf?.(row) ?? 'fine'].bar, bar.filled) + paint('dim', bar.empty);
    });
    filled.splice(place, 0, filledOf(['', ...bars]));
  }
  return [undefined, ...rows].map((_row, i) =>
    filled
      .map((column) => padded(column, i))
      .join(' '.repeat(columnGap))
      .trimEnd(),
  );
}

function filledOf(cells: readonly string[], isRight = false): Filled {
  const width = cells.reduce((most, cell) => Math.max(most, widthOf(cell)), 0);
  return { cells, isRight, width };
}

function padded({ cells, isRight, width }: Filled, i: number): string {
  const cell = cells[i] ?? '';
  const padding = ' '.repeat(width - widthOf(cell));
  return isRight ? padding + cell : cell + padding;
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}

function cellText(pieces: readonly Piece[], paint: Paint): string {
  return pieces
    .filter(({ only, text }) => only !== 'page' && text !== '')
    .map(({ isTag, look, text, word }, i) => {
      const gap = i === 0 ? '' : look === 'line' ? '; ' : ' ';
      const shown = `${gap}${isTag === true && word === 'none' ? '–' : text}`;
      if (word !== undefined) return paint(styles[word].word, shown);
      return look === 'dim' || look === 'none' ? paint('dim', shown) : shown;
    })
    .join('');
}
