/**
 * The lines of a table of the report that `check` and `init` print: aligned columns, with a bar where there is room for
 * one.
 */
import { stripVTControlCharacters } from 'node:util';
import { displayStates } from '../display-state.ts';
import type { TableRow } from '../tables/table.ts';
import { barOf, type Paint } from './style.ts';

/** The terminal, or what stands for it. */
export interface Surface {
  readonly paint: Paint;
  /** In characters. 0 for a surface without bars, on which each row is one line, however long. */
  readonly width: number;
}

const gap = '  ';
/** Minimum width of a useful bar. */
const minBarWidth = 6;
const maxBarWidth = 30;

/** The characters that terminals show twice as wide as others: those of Chinese, with its punctuation. */
const wide = /[\p{Script=Han}\u3000-\u303f\uff01-\uff60]/gu;
/** What a line may end with: a wide character with the marks after it, or a word with the spaces after it. */
const words = /[\p{Script=Han}（][、。，；：）]*|[^\s\p{Script=Han}（]+\s*|\s+/gu;

/** The columns whose cells have the colour of the state of their row. */
const colouredRoles = ['state', 'figure share', 'figure more'];

/**
 * How often a table folds, because it is wider than its surface, until a column stands below its rows: by the beginning of
 * its role. Lines always do, if the surface has a width.
 */
const folds = { lines: 0, 'figure used': 1, detail: 3, account: 4, where: 5 } as const;
/** How often it folds until the further texts of a cell, which stand beside its first one, stand below. */
const foldOfTexts = 2;
const maxFolds = 5;

interface Column {
  readonly role: string;
  readonly title: string;
  /** After how many folds it stands below its rows. */
  readonly fold: number;
  /** Of each row, without empty ones. */
  readonly texts: readonly (readonly string[])[];
  readonly bars: readonly (number | null)[];
}

/**
 * The titles and the rows. A table without rows has no lines. Columns without texts are of the page only. On a surface with
 * a width, columns of lines stand below their rows, and so does what else would make the table too wide.
 *
 * @param omittedRole the role of a column that is left out
 */
export function tableLines(
  rows: readonly TableRow[],
  surface: Surface,
  omittedRole: string | null = null,
): string[] {
  const columns = (rows[0]?.cells ?? []).flatMap(({ role, title }, i): Column | readonly [] => {
    const cells = rows.map((row) => row.cells[i]);
    if (role === omittedRole || cells.every((cell) => cell?.texts === undefined)) return [];
    const [, fold = Infinity] =
      Object.entries(folds).find(([begin]) => role.startsWith(begin)) ?? [];
    const texts = cells.map((cell) => (cell?.texts ?? []).filter((text) => text !== ''));
    return { role, title, fold, texts, bars: cells.map((cell) => cell?.bar ?? null) };
  });
  let count = surface.width === 0 ? -1 : 0;
  let lines = besideLines(rows, columns, surface, count);
  const isTooWide = (line: string) => widthOf(line) > surface.width;
  while (count >= 0 && count < maxFolds && lines.some(isTooWide)) {
    count++;
    lines = besideLines(rows, columns, surface, count);
  }
  return lines.flatMap((line, i) =>
    i === 0 ? line : [line, ...belowLines(i - 1, columns, surface, count)],
  );
}

/** What of a cell stands in its column, and what below the row. */
function folded({ role, texts }: Column, i: number, count: number) {
  const [first = '–', ...others] = texts[i] ?? [];
  return role.startsWith('figure') || count < foldOfTexts
    ? { first, others, below: [] }
    : { first, others: [], below: others };
}

/**
 * The line of the titles, and one line for each row.
 *
 * @param count how often the table is folded
 */
function besideLines(
  rows: readonly TableRow[],
  columns: readonly Column[],
  { paint, width }: Surface,
  count: number,
): string[] {
  const styles = rows.map(({ state = 'none' }) => displayStates[state].style);
  const shown = columns.filter(({ fold }) => fold > count);
  const cells = shown.map((column) => {
    const { role, title } = column;
    const mark = role.startsWith('lines') ? '; ' : ' ';
    const texted = styles.map((style, i) => {
      const { first, others } = folded(column, i, count);
      const rest = paint('dim', others.map((text) => mark + text).join(''));
      return (colouredRoles.includes(role) ? paint(style, first) : first) + rest;
    });
    return aligned(role.startsWith('figure'), [paint('dim', title.toUpperCase()), ...texted]);
  });
  const usedWidth = cells.reduce((sum, [head = '']) => sum + gap.length + widthOf(head), 0);
  const barWidth = Math.min(maxBarWidth, width - usedWidth);
  const shareColumn = shown.findIndex(({ role }) => role === 'figure share');
  if (shareColumn >= 0 && barWidth >= minBarWidth) {
    const bars = styles.map((style, i) => {
      const bar = shown[shareColumn]?.bars[i] ?? null;
      return bar === null ? '' : barOf(bar, barWidth, style, paint);
    });
    cells.splice(shareColumn, 0, aligned(false, ['', ...bars]));
  }
  const lineOf = (i: number) => cells.map((cell) => cell[i]).join(gap);
  return (cells[0] ?? []).map((_cell, i) => lineOf(i).trimEnd());
}

/** What stands below a row: its lines, then what has no room beside the others. */
function belowLines(
  i: number,
  columns: readonly Column[],
  { paint, width }: Surface,
  count: number,
): readonly string[] {
  const isLines = ({ role }: Column) => role.startsWith('lines');
  const said = columns.filter((column) => isLines(column) && column.fold <= count);
  const others = columns.filter((column) => !isLines(column));
  const below = [
    said.flatMap(({ texts }) => texts[i] ?? []).join('; '),
    others
      .flatMap((column) =>
        column.fold > count
          ? folded(column, i, count).below
          : [column.title.toLowerCase(), ...(column.texts[i] ?? [])].join(' '),
      )
      .join(', '),
  ];
  return below.flatMap((text) => wrapped(text, width)).map((line) => paint('dim', line));
}

/** Breaks a text at spaces, and around Chinese characters, into indented lines of the width. No line for an empty text. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.match(words) ?? []) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf((last + word).trimEnd()) <= width) {
      lines[lines.length - 1] = last + word;
    } else lines.push(gap + word);
  }
  return lines.map((line) => line.trimEnd());
}

/** Pads the cells of a column to the width of the widest one. */
function aligned(isRight: boolean, cells: readonly string[]): readonly string[] {
  const width = cells.reduce((most, cell) => Math.max(most, widthOf(cell)), 0);
  return cells.map((cell) => {
    const padding = ' '.repeat(width - widthOf(cell));
    return isRight ? padding + cell : cell + padding;
  });
}

/** The width of a narrow character is 1. Styles have none. */
function widthOf(cell: string): number {
  const text = stripVTControlCharacters(cell);
  return text.length + (text.match(wide)?.length ?? 0);
}
