/**
 * The rows of the tables of page and terminal. A new table is a function that says what the cells of a row are;
 * `page/table.ts` and `terminal/table.ts` show any.
 */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { Links } from '../../model/links.ts';
import type { Target } from '../../model/target.ts';
import type { DisplayState } from '../severity.ts';
import { addressOf, type Html } from './html.ts';

/** A table. Its rows are objects that never change, so that the text of each is remembered. */
export interface Table<Row extends object = object> {
  readonly id: string;
  readonly title: string;
  /** Describes the rows and their order. */
  readonly caption: string;
  readonly rows: readonly Row[];
  show(row: Row, settings: TableSettings): ShownRow;
}

export interface Cell {
  /**
   * The class of the cells of the column: `name` is the heading of its row, a role that begins with `figure` has numbers,
   * and one that begins with `lines` has texts on lines of their own.
   */
  readonly role: string;
  /** The title of the column. */
  readonly title: string;
  /**
   * The first text, and what is smaller beside it. Empty ones are left out, and a cell without text has a dash. A
   * terminal has columns with texts only.
   */
  readonly texts?: readonly string[];
  /** Where the first text leads on the page. */
  readonly href?: string | null;
  /** What the page shows instead of texts. */
  readonly html?: Html | null | undefined;
  /** The filled part of a bar before the first text, from 0 to 1. `null` for no bar. */
  readonly bar?: number | null;
}

/** A row of a table. All rows of a table have the same columns. */
export interface ShownRow {
  /** The state of the row. */
  readonly state?: DisplayState;
  readonly cells: readonly Cell[];
}

/** What rows are made with. */
export interface TableSettings {
  readonly collectors: CollectorSet;
  readonly links: Links;
  /** The day that times do not name, such as `2026-02-03`. */
  readonly today: string;
}

export function accountCell(account: string): Cell {
  return { role: 'account', title: 'Account', texts: [account], href: addressOf({ account }) };
}

export function placeCells({ account, region }: Pick<Target, 'account' | 'region'>): Cell[] {
  const href = addressOf({ account, region });
  return [{ role: 'where', title: 'Region', texts: [region], href }, accountCell(account)];
}
