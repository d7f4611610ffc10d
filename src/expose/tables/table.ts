/**
 * What a table of page and terminal is: its items, and a function that makes a row of each. `tables.ts` lists the tables, the
 * files `…-row.ts` and `…-rows.ts` make their rows, and `page/table-section.ts` and `terminal/table-lines.ts` show any.
 */
import { html } from 'hono/html';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { Links } from '../../model/links.ts';
import type { Target } from '../../model/target.ts';
import type { Texts } from '../../model/texts/texts.ts';
import type { DisplayState } from '../display-state.ts';
import { pageAddress } from '../filter.ts';
import { link, since, small, time, type Html } from './html.ts';

export interface Table<Item extends object = object> {
  readonly id: string;
  readonly title: string;
  /** Describes the rows and their order. */
  readonly caption: string;
  /** Objects that never change, so that the page can memoize the markup of each. */
  readonly items: readonly Item[];
  toRow(item: Item): TableRow;
}

/** What a row needs besides its item. */
export interface RowContext {
  readonly collectors: CollectorSet;
  readonly links: Links;
  readonly texts: Texts;
}

/** Makes a row of an item. */
export type ToRow<Item> = (item: Item, context: RowContext) => TableRow;

/** A row of a table. All rows of a table have the same columns. */
export interface TableRow {
  /** Colours the row. Absent: no state. */
  readonly state?: DisplayState;
  readonly cells: readonly Cell[];
}

export interface Cell {
  /**
   * What the column is for: `name` is the heading of its row, a role that begins with `figure` has numbers, and one that
   * begins with `lines` has texts on lines of their own. It is the class of the cells on the page. In a terminal, it says
   * how they are aligned and coloured, and which ones stand below their row where there is no room.
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
  /** The filled part of a bar that a terminal shows before the texts, from 0 to 1. Absent or `null`: no bar. */
  readonly bar?: number | null;
  /** The page shows this in place of the texts. Absent or `null`: the texts. */
  readonly content?: Html | string | null;
}

/**
 * The cell with the state of its row.
 *
 * @param text what people call the state
 * @param href of the runbook
 * @param sinceMs since when it is so, for the page
 */
export function stateCell(
  state: DisplayState,
  text: string,
  href: string | null,
  texts: Texts,
  sinceMs: number | null = null,
): Cell {
  const tag = link(href, html`<span class="tag ${state}">${text}</span>`);
  const content = html`${tag} ${sinceMs !== null && small(since(sinceMs, texts))}`;
  return { role: 'state', title: texts.say('State'), texts: [text], content };
}

/** The account, as a link to the page of the account. */
export function accountCell(account: string, { parameters, say }: Texts): Cell {
  const href = pageAddress({ account, ...parameters });
  return { role: 'account', title: say('Account'), texts: [account], href };
}

/** A time, in a column of the page only. A dash for an event that has not happened. */
export function timeCell(title: string, atMs: number | null | undefined, role = 'time'): Cell {
  return { role, title, content: time(atMs) };
}

/** The region and the account, as links to their pages. */
export function regionCells(
  { account, region }: Pick<Target, 'account' | 'region'>,
  texts: Texts,
): Cell[] {
  const href = pageAddress({ account, region, ...texts.parameters });
  const where = { role: 'where', title: texts.say('Region'), texts: [region], href };
  return [where, accountCell(account, texts)];
}
