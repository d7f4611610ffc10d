/**
 * The tables of page and terminal as data: their columns, and what the cells of a row say. A new table is written once;
 * `page/table.ts` and `terminal/table.ts` show any.
 */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { runbookLink, type Links, type LinkValues } from '../../model/links.ts';
import type { Target } from '../../model/target.ts';
import type { QuotaWord } from '../severity.ts';
import type { TargetState } from '../watched.ts';

export type Word = QuotaWord | TargetState;

/** A piece of a cell. Pieces are apart by a space. */
export interface Piece {
  readonly text: string;
  /** `line`: on a line of its own where there is room. `id`: a name from outside. `none`: nothing is known. */
  readonly look?: 'dim' | 'code' | 'id' | 'line' | 'request-id' | 'none';
  /** What its colour tells. */
  readonly word?: Word;
  /** Whether the word is shown as a label. */
  readonly isTag?: boolean;
  /** An address. Only a page can follow it. */
  readonly href?: string | null;
  /** A time after the text, in milliseconds since the Unix epoch. Only a page shows it. */
  readonly atMs?: number;
  readonly only?: 'page' | 'terminal';
}

interface ColumnOptions<Row> {
  readonly isNumber?: boolean;
  /** The filled part of a bar before the cell, from 0 to 1. `null` for no bar. */
  bar?(row: Row): number | null;
}

export interface Column<Row> extends ColumnOptions<Row> {
  readonly label: string;
  /** What its cells are, for their style. The cell of a `name` is the heading of its row. */
  readonly role: string;
  /** At least one piece. */
  cell(row: Row): readonly Piece[];
}

export interface Table<Row> {
  readonly columns: readonly Column<Row>[];
  /** The state of a row. */
  wordOf?(row: Row): Word;
}

/** What rows are made with. Rows are made again when one of them is another one. */
export interface TableSettings {
  readonly collectors: CollectorSet;
  readonly links: Links;
}

/** A cell of which nothing is known has a dash. */
const none: Piece = { text: '–', look: 'none' };

/** @param cell `null` among the pieces is left out. A cell without pieces has a dash */
export function column<Row>(
  label: string,
  role: string,
  cell: (row: Row) => Piece | null | readonly (Piece | null)[],
  options: ColumnOptions<Row> = {},
): Column<Row> {
  return {
    label,
    role,
    cell: (row) => {
      const pieces = [cell(row)].flat().filter((piece) => piece !== null);
      return pieces.length === 0 ? [none] : pieces;
    },
    ...options,
  };
}

/** Of a name from outside. */
export function nameOf(text: string, href: string | null = null): Piece {
  return { text, look: 'id', href };
}

export function tagOf(word: Word, text: string = word, href: string | null = null): Piece {
  return { text, word, isTag: true, href };
}

/** Of a time; `null` without one. */
export function timeOf(atMs: number | null | undefined, text = ''): Piece | null {
  return atMs === null || atMs === undefined ? null : { text, atMs };
}

/** `null` for an empty text. */
export function dim(text: string): Piece | null {
  return text === '' ? null : { text, look: 'dim' };
}

export function line(text: string | null): Piece | null {
  return text === null ? null : { text, look: 'line' };
}

export function onPage(piece: Piece | null): Piece | null {
  return piece && { ...piece, only: 'page' };
}

/** The address of the page with a filter. It is relative, so that it works below a path of a proxy, too. */
export function addressOf(filter: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(filter).toString();
  return `./${search === '' ? '' : `?${search}`}`;
}

export function runbookOf(
  { runbooks }: Links,
  alert: string | null | undefined,
  values: LinkValues,
): string | null {
  if (runbooks === null || alert === null || alert === undefined) return null;
  return runbookLink(runbooks, alert, values);
}

export function accountColumn<Row>(accountOf: (row: Row) => string): Column<Row> {
  return column('Account', 'account', (row) => {
    const account = accountOf(row);
    return nameOf(account, addressOf({ account }));
  });
}

/** The region and the account of a target. */
export function placeColumns<Row>(
  placeOf: (row: Row) => Pick<Target, 'account' | 'region'>,
): Column<Row>[] {
  return [
    column('Region', 'where', (row) => {
      const { account, region } = placeOf(row);
      return nameOf(region, addressOf({ account, region }));
    }),
    accountColumn((row) => placeOf(row).account),
  ];
}
