/** Tables in a terminal: aligned columns, with a bar where there is room for one. */
import { stripVTControlCharacters } from 'node:util';
import { displayStates } from '../severity.ts';
import type { ShownRow } from '../tables/table.ts';
import { barOf, type Paint } from './style.ts';

export interface Surface {
  readonly paint: Paint;
  /** In characters. */
  readonly width: number;
}

const gap = '  ';
/** Minimum width of a useful bar. */
const minBarWidth = 6;
const maxBarWidth = 30;

/** The columns whose cells have the colour of their row's word. */
const coloured = ['state', 'figure', 'figure share'];

/**
 * The titles and the rows. A table without rows has no lines.
 *
 * @param left the role of a column that is left out
 */
export function tableLines(
  rows: readonly ShownRow[],
  { paint, width }: Surface,
  left = '',
): string[] {
  const styleOf = ({ state = 'none' }: ShownRow) => displayStates[state].style;
  const shown = (rows[0]?.cells ?? []).flatMap(({ role, title }, i) => {
    const cells = rows.map((row) => row.cells[i]);
    const isOfPage = role === left || cells.every((cell) => cell?.texts === undefined);
    return isOfPage ? [] : { role, title, cells };
  });
  const columns = shown.map(({ cells, role, title }) =>
    aligned(role.startsWith('figure'), [
      paint('dim', title.toUpperCase()),
      ...rows.map((row, i) => {
        const [first = '–', ...others] = (cells[i]?.texts ?? []).filter((text) => text !== '');
        const beside = role.startsWith('lines')
          ? others.map((text) => `; ${text}`).join('')
          : paint('dim', others.map((text) => ` ${text}`).join(''));
        return (coloured.includes(role) ? paint(styleOf(row), first) : first) + beside;
      }),
    ]),
  );
  const taken = columns.reduce((sum, [head = '']) => sum + gap.length + widthOf(head), 0);
  const room = Math.min(maxBarWidth, width - taken);
  const place = shown.findIndex(({ role }) => role === 'figure share');
  if (place >= 0 && room >= minBarWidth) {
    const bars = rows.map((row, i) => {
      const bar = shown[place]?.cells[i]?.bar ?? null;
      return bar === null ? '' : barOf(bar, room, styleOf(row), paint);
    });
    columns.splice(place, 0, aligned(false, ['', ...bars]));
  }
  const lineOf = (i: number) => columns.map((column) => column[i]).join(gap);
  return (columns[0] ?? []).map((_cell, i) => lineOf(i).trimEnd());
}

/** Cells of one width. */
function aligned(isRight: boolean, cells: readonly string[]): readonly string[] {
  const width = cells.reduce((most, cell) => Math.max(most, widthOf(cell)), 0);
  return cells.map((cell) => {
    const padding = ' '.repeat(width - widthOf(cell));
    return isRight ? padding + cell : cell + padding;
  });
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
