/** A table of one kind of target. A part of the contract of a collector. */
import type { TargetRecord } from '../model/record.ts';

/** A cell of a {@link KindTable}. `null` for an unknown value. */
export type TableCell = { readonly text: string; readonly detail?: string } | null;

/** A table that lists the records of one kind, on the status page and in a terminal. */
export interface KindTable<R extends TargetRecord = TargetRecord> {
  /** The name of the page's section, and of its page number in the query string. */
  readonly id: string;
  readonly title: string;
  /** The title of the first column, with the name of each target. */
  readonly nameLabel: string;
  /** The text for a table without rows. */
  readonly empty: string;
  readonly columns: readonly { readonly label: string; readonly isNumber?: boolean }[];
  /** The cells of a row, one per column. */
  readonly cells: (record: R) => readonly TableCell[];
}
