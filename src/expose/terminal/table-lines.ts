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
const colouredRoles = ['state', 'figure', 'figure share', 'figure more'];

/** In {@link folds}: the further texts of each cell, which stand beside its first one. */
const furtherTexts = 'further texts';
/**
 * What moves below its row while the table is wider than the surface, in this order: {@link furtherTexts}, and columns by
 * the beginning of their role.
 */
const folds = ['figure used', furtherTexts, 'detail', 'account', 'where'];

/**
 * The titles and the rows. A table without rows has no lines. On a surface with a width, columns of lines stand below
 * their rows, and so does what else would make the table too wide.
 *
 * @param rows without the cells that are of the page only
 */
export function tableLines(rows: readonly TableRow[], surface: Surface): string[] {
  const columns = columnsOf(rows);
  const layoutOf = (count: number): Layout => {
    return { rows, columns, surface, folded: folds.slice(0, count) };
  };
  const fits = (count: number) =>
    besideLines(layoutOf(count)).every((line) => widthOf(line) <= surface.width);
  const layout = layoutOf(surface.width > 0 ? ([...folds.keys()].find(fits) ?? folds.length) : 0);
  return besideLines(layout).flatMap((line, i) => [
    line,
    ...(i > 0 ? belowLines(i - 1, layout) : []),
  ]);
}

type Column = ReturnType<typeof columnsOf>[number];

function columnsOf(rows: readonly TableRow[]) {
  return (rows[0]?.cells ?? []).map(({ role, title }, i) => ({
    role,
    title,
    /** Of each row, without empty ones. */
    texts: rows.map((row) => row.cells[i]?.texts?.filter((text) => text !== '') ?? []),
    bars: rows.map((row) => row.cells[i]?.bar ?? null),
  }));
}

interface Layout {
  readonly rows: readonly TableRow[];
  readonly columns: readonly Column[];
  readonly surface: Surface;
  /** The roles of {@link folds} whose texts stand below their rows. */
  readonly folded: readonly string[];
}

function isBelow({ role }: Column, { folded, surface }: Layout): boolean {
  const isFolded = folded.some((begin) => role.startsWith(begin));
  return surface.width > 0 && (role.startsWith('lines') || isFolded);
}

/** The line of the titles, and one line for each row. */
function besideLines(layout: Layout): string[] {
  const { columns, folded, rows, surface } = layout;
  const { paint, width } = surface;
  const styleOf = (i: number) => displayStates[rows[i]?.state ?? 'none'].style;
  const shown = columns.filter((column) => !isBelow(column, layout));
  const cells = shown.map(({ role, texts, title }) => {
    const isFigure = role.startsWith('figure');
    const texted = texts.map(([first = '–', ...others], i) => {
      const kept = isFigure || !folded.includes(furtherTexts) ? others : [];
      const beside = role.startsWith('lines')
        ? kept.map((text) => `; ${text}`).join('')
        : paint('dim', kept.map((text) => ` ${text}`).join(''));
      return (colouredRoles.includes(role) ? paint(styleOf(i), first) : first) + beside;
    });
    return aligned(isFigure, [paint('dim', title.toUpperCase()), ...texted]);
  });
  const usedWidth = cells.reduce((sum, [head = '']) => sum + gap.length + widthOf(head), 0);
  const barWidth = Math.min(maxBarWidth, width - usedWidth);
  const shareColumn = shown.findIndex(({ role }) => role === 'figure share');
  if (shareColumn >= 0 && barWidth >= minBarWidth) {
    const bars = shown[shareColumn]?.bars.map((bar, i) =>
      bar === null ? '' : barOf(bar, barWidth, styleOf(i), paint),
    );
    cells.splice(shareColumn, 0, aligned(false, ['', ...(bars ?? [])]));
  }
  return (cells[0] ?? []).map((_cell, i) =>
    cells
      .map((cell) => cell[i])
      .join(gap)
      .trimEnd(),
  );
}

/** What stands below a row: its lines, then what has no room beside the others. */
function belowLines(i: number, layout: Layout): readonly string[] {
  const { columns, folded, surface } = layout;
  const said: string[] = [];
  const moved: string[] = [];
  for (const column of columns) {
    const { role, texts, title } = column;
    const [first = '', ...others] = texts[i] ?? [];
    if (!isBelow(column, layout)) {
      const isMoved = folded.includes(furtherTexts) && !role.startsWith('figure');
      if (isMoved) moved.push(...others);
    } else if (role.startsWith('lines')) said.push(...(texts[i] ?? []));
    else moved.push([title.toLowerCase(), first, ...others].join(' '));
  }
  const texts = [said.join('; '), moved.join(', ')];
  const below = texts.flatMap((text) => wrapped(text, surface.width));
  return below.map((line) => surface.paint('dim', line));
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
