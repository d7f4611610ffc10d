/**
 * The lines of a table of the report that `check` and `init` print; `check-table.ts` asks for them.
 *
 * 1. Each cell is placed: beside the others, or below its row ({@link PlacedCell}).
 * 2. While a line is wider than the terminal, one more of {@link folds} moves below, until all have.
 * 3. What stands beside is aligned in columns, with a bar where there is room for one.
 * 4. What stands below is broken into indented lines.
 */
import { stripVTControlCharacters } from 'node:util';
import { displayStates } from '../display-state.ts';
import type { Cell, TableRow } from '../tables/table.ts';
import { barOf, type Paint } from './style.ts';

/** The terminal, or another output. */
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
const breakable = /[\p{Script=Han}（][、。，；：）]*|[^\s\p{Script=Han}（]+\s*|\s+/gu;

/** The columns whose cells have the colour of the state of their row. */
const colouredRoles = ['state', 'figure', 'figure share', 'figure more'];

/** In {@link folds}: the further texts of each cell, which stand beside its first one. No role begins with this text. */
const furtherTexts = 'further texts';
/**
 * What moves below its row while the table is wider than the surface, the least important first: {@link furtherTexts}, and
 * the columns whose role begins so. `table.ts` says which roles there are.
 */
const folds = ['figure used', furtherTexts, 'detail', 'account', 'where'];

/**
 * The titles and the rows. A table without rows has no lines. On a surface with a width, columns of lines stand below
 * their rows, and so does what else would make the table too wide.
 *
 * @param rows without the cells that are of the page only
 */
export function tableLines(rows: readonly TableRow[], surface: Surface): string[] {
  const { width } = surface;
  const layoutOf = (foldCount: number) => {
    const folded = folds.slice(0, foldCount);
    const placedRows = rows.map((row) =>
      row.cells.map((cell) => placed(cell, row, surface, folded)),
    );
    return { placedRows, lines: besideLines(rows, placedRows, surface) };
  };
  const fits = (foldCount: number) =>
    layoutOf(foldCount).lines.every((line) => widthOf(line) <= width);
  const leastFolds = () => [...folds.keys()].find(fits) ?? folds.length;
  const { lines, placedRows } = layoutOf(width > 0 ? leastFolds() : 0);
  // The first line has the titles, so row 0 is in line 1.
  return lines.flatMap((line, i) => [
    line,
    ...(i > 0 ? belowLines(placedRows[i - 1], surface) : []),
  ]);
}

/** Where the texts of a cell stand. */
interface PlacedCell {
  /** The text beside those of the other columns. `null`: the whole column stands below the rows. */
  readonly beside: string | null;
  /** The texts of a column of lines that stand below the row. */
  readonly lines?: readonly string[];
  /** What stands below the row because it has no room beside the others. */
  readonly moved?: readonly string[];
}

/**
 * Says where the texts of a cell stand. A cell without text has a dash.
 *
 * @param folded those of {@link folds} for which there is no room
 */
function placed(
  { role, texts = [], title }: Cell,
  { state = 'none' }: TableRow,
  { paint, width }: Surface,
  folded: readonly string[],
): PlacedCell {
  const shownTexts = texts.filter((text) => text !== '');
  const [first = '–', ...others] = shownTexts;
  const isLines = role.startsWith('lines');
  if (isLines && width > 0) return { beside: null, lines: shownTexts };
  if (folded.some((begin) => role.startsWith(begin))) {
    return { beside: null, moved: [[title.toLowerCase(), first, ...others].join(' ')] };
  }
  const beside = colouredRoles.includes(role) ? paint(displayStates[state].style, first) : first;
  // On a surface without a width, a column of lines stands beside the others.
  if (isLines) return { beside: [beside, ...others].join('; ') };
  const movesOthers = folded.includes(furtherTexts) && !role.startsWith('figure');
  if (movesOthers) return { beside, moved: others };
  return { beside: beside + paint('dim', others.map((text) => ` ${text}`).join('')) };
}

/** The line of the titles, and one line for each row. None without rows. The bar stands left of its share. */
function besideLines(
  rows: readonly TableRow[],
  placedRows: readonly (readonly PlacedCell[])[],
  { paint, width }: Surface,
): string[] {
  // Of the first row: all rows have the same columns, and in each the same ones stand beside.
  const firstCells = [...(rows[0]?.cells ?? []).entries()];
  const besideCells = firstCells.filter(([i]) => placedRows[0]?.[i]?.beside !== null);
  const columns = besideCells.map(([i, { role, title }]) => {
    const texts = placedRows.map((cells) => cells[i]?.beside ?? '');
    return aligned(role.startsWith('figure'), [paint('dim', title.toUpperCase()), ...texts]);
  });
  // All texts of a column have one width, so its title tells it.
  const usedWidth = columns.reduce((sum, [title = '']) => sum + gap.length + widthOf(title), 0);
  const barWidth = Math.min(maxBarWidth, width - usedWidth);
  const isShare = ({ role }: Cell) => role === 'figure share';
  const shareColumn = besideCells.findIndex(([, cell]) => isShare(cell));
  if (shareColumn >= 0 && barWidth >= minBarWidth) {
    const bars = rows.map(({ cells, state = 'none' }) => {
      const share = cells.find(isShare)?.bar ?? null;
      return share === null ? '' : barOf(share, barWidth, displayStates[state].style, paint);
    });
    columns.splice(shareColumn, 0, aligned(false, ['', ...bars]));
  }
  const lineOf = (i: number) => columns.map((texts) => texts[i]).join(gap);
  return [...(columns[0] ?? []).keys()].map((i) => lineOf(i).trimEnd());
}

/** What stands below a row: its lines, then what has no room beside the others. */
function belowLines(
  cells: readonly PlacedCell[] = [],
  { paint, width }: Surface,
): readonly string[] {
  const lines = cells.flatMap((cell) => cell.lines ?? []).join('; ');
  const moved = cells.flatMap((cell) => cell.moved ?? []).join(', ');
  const below = [lines, moved].flatMap((text) => wrapped(text, width));
  return below.map((line) => paint('dim', line));
}

/**
 * Breaks a text at spaces, and around Chinese characters, into indented lines of at most the width, unless a single word is
 * wider. No line for an empty text.
 */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.match(breakable) ?? []) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf((last + word).trimEnd()) <= width) {
      lines[lines.length - 1] = last + word;
    } else lines.push(gap + word);
  }
  return lines.map((line) => line.trimEnd());
}

/** Pads the cells of a column to the width of the widest one. `isRight`: the texts stand at the right. */
function aligned(isRight: boolean, cells: readonly string[]): readonly string[] {
  const width = cells.reduce((most, cell) => Math.max(most, widthOf(cell)), 0);
  return cells.map((cell) => {
    const padding = ' '.repeat(width - widthOf(cell));
    return isRight ? padding + cell : cell + padding;
  });
}

/** The width of a text in a terminal: 2 for each wide character, 1 for each other one. Styles have none. */
function widthOf(cell: string): number {
  const text = stripVTControlCharacters(cell);
  return text.length + (text.match(wide)?.length ?? 0);
}
