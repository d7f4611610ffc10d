/**
 * The tables of page and terminal: their columns, and what the cells of a row say. A new table is written once;
 * `page/table.ts` and `terminal/table.ts` show any.
 */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { runbookLink, type Links, type LinkValues } from '../../model/links.ts';
import type { Target } from '../../model/target.ts';
import { addressOf, type Html } from './html.ts';
import type { Word } from '../severity.ts';

export interface Cell {
  /**
   * The first text, and what is smaller beside it. Empty ones are left out, and a cell without text has a dash. A
   * terminal has columns with texts only.
   */
  readonly texts?: readonly string[];
  /** Where the first text leads on the page. */
  readonly href?: string | null;
  /** What the page shows instead of texts. */
  readonly html?: Html | null;
}

export interface Table<Row> {
  /**
   * The titles of the columns, by their roles. The role is the class of the cells: `name` is the heading of its row, a
   * role that begins with `figure` has numbers, and one that begins with `lines` has texts on lines of their own.
   */
  readonly heads: Readonly<Record<string, string>>;
  /** The state of a row. */
  wordOf?(row: Row): Word;
  /** By the role of its column. */
  cells(row: Row): Readonly<Record<string, Cell>>;
  /** The filled part of a bar before the first number, from 0 to 1. `null` for no bar. */
  bar?(row: Row): number | null;
}

/** What tables are made with. */
export interface TableSettings {
  readonly collectors: CollectorSet;
  readonly links: Links;
  /** The day that times do not name, such as `2026-02-03`. */
  readonly today: string;
}

export function runbookOf(
  { runbooks }: Links,
  alert: string | undefined,
  values: LinkValues,
): string | null {
  return runbooks === null || alert === undefined ? null : runbookLink(runbooks, alert, values);
}

export function placeCells({ account, region }: Pick<Target, 'account' | 'region'>) {
  return {
    where: { texts: [region], href: addressOf({ account, region }) },
    account: { texts: [account], href: addressOf({ account }) },
  };
}
