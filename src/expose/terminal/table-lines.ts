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
  /** In characters. Lines may be longer; it limits the bars only. */
  readonly width: number;
}

const gap = '  ';
/** Minimum width of a useful bar. */
const minBarWidth = 6;
const maxBarWidth = 30;

/** The columns whose cells have the colour of the state of their row. */
const colouredRoles = ['state', 'figure', 'figure share'];

/**
 * The titles and the rows. A table without rows has no lines. Columns without texts are of the page only.
 *
 * @param omittedRole the role of a column that is left out
 */
export function tableLines(
  rows: readonly TableRow[],
  { paint, width }: Surface,
  omittedRole: string | null = null,
): string[] {
  const styleOf = ({ state = 'none' }: TableRow) => displayStates[state].style;
  const shown = (rows[0]?.cells ?? []).flatMap(({ role, title }, i) => {
    const cells = rows.map((row) => row.cells[i]);
    const isPageOnly = cells.every((cell) => cell?.texts === undefined);
    return role === omittedRole || isPageOnly ? [] : { role, title, cells };
  });
  const columns = shown.map(({ cells, role, title }) =>
    aligned(role.startsWith('figure'), [
      paint('dim', title.toUpperCase()),
      ...rows.map((row, i) => {
        const [first = '–', ...others] = (cells[i]?.texts ?? []).filter((text) => text !== '');
        const beside = role.startsWith('lines')
          ? others.map((text) => `; ${text}`).join('')
          : paint('dim', others.map((text) => ` ${text}`).join(''));
        return (colouredRoles.includes(role) ? paint(styleOf(row), first) : first) + beside;
      }),
    ]),
  );
  const usedWidth = columns.reduce((sum, [head = '']) => sum + gap.length + widthOf(head), 0);
  const barWidth = Math.min(maxBarWidth, width - usedWidth);
  const shareColumn = shown.findIndex(({ role }) => role === 'figure share');
  if (shareColumn >= 0 && barWidth >= minBarWidth) {
    const bars = rows.map((row, i) => {
      const bar = shown[shareColumn]?.cells[i]?.bar ?? null;
      return bar === null ? '' : barOf(bar, barWidth, styleOf(row), paint);
    });
    columns.splice(shareColumn, 0, aligned(false, ['', ...bars]));
  }
  const lineOf = (i: number) => columns.map((column) => column[i]).join(gap);
  return (columns[0] ?? []).map((_cell, i) => lineOf(i).trimEnd());
}

/** Pads the cells of a column to the width of the widest one. */
function aligned(isRight: boolean, cells: readonly string[]): readonly string[] {
  const width = cells.reduce((most, cell) => Math.max(most, widthOf(cell)), 0);
  return cells.map((cell) => {
    const padding = ' '.repeat(width - widthOf(cell));
    return isRight ? padding + cell : cell + padding;
  });
}

/** In characters, without styles. */
function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
