/** Reads the rows of a set one by one, so that an invalid row does not affect the others. All kinds with sets use it. */
import type { z } from 'zod';
import { firstIssue } from '../api/response.ts';
import type { Anomaly } from '../model/poll-outcome.ts';

/**
 * A field that does not make its row invalid: `null` when it cannot be read, so only this field is unknown.
 *
 * @param absent the value of a field that is absent or `null`
 */
export const lenient = <T>(schema: z.ZodType<T>, absent: T | null = null) =>
  schema
    .nullish()
    .transform((value) => value ?? absent)
    .nullable()
    .catch(null);

/** Maximum number of rows that are read of a list or set: more than any of the service has. */
export const maxRows = 20_000;

export interface RowSet<S extends z.ZodType> {
  /** The set's name at the service, for anomalies. */
  readonly name: string;
  /** The fields whose values, joined, name a row. No two rows have the same name. No fields for a set of one row. */
  readonly id: z.ZodType<Readonly<Record<string, string | number>>>;
  readonly schema: S;
  /** Whether the row with this name is wanted. A mistake in an unwanted row is no anomaly. Default: all are. */
  readonly isWanted?: (name: string) => boolean;
}

export interface RowsReading<Row> {
  /** The valid and wanted rows, in their order. */
  readonly rows: readonly { readonly name: string; readonly row: Row }[];
  /** The names of all rows with a readable name, also if other fields are unreadable. */
  readonly names: readonly string[];
  /** The number of rows without a name, or with a repeated name. */
  readonly unidentified: number;
  /** The unreadable rows, and those with a repeated name. */
  readonly anomalies: readonly Anomaly[];
}

/** Of rows with the same name, it reads the first one. */
export function readRows<S extends z.ZodType>(
  rows: readonly unknown[],
  { id, isWanted = () => true, name: setName, schema }: RowSet<S>,
): RowsReading<z.output<S>> {
  const names = new Set<string>();
  const result: { name: string; row: z.output<S> }[] = [];
  const anomalies: Anomaly[] = [];
  for (const [index, row] of rows.entries()) {
    const position = `${setName}[${index}]`;
    const parsedId = id.safeParse(row);
    if (!parsedId.success) {
      anomalies.push({ kind: 'invalid-row', detail: `${position}: ${firstIssue(parsedId.error)}` });
      continue;
    }
    const name = Object.values(parsedId.data).join(' ');
    if (names.has(name)) {
      const detail = `${position}: ${name || 'the region'} is there already`;
      anomalies.push({ kind: 'duplicate-row', detail });
      continue;
    }
    names.add(name);
    if (!isWanted(name)) continue;
    const { data, error } = schema.safeParse(row);
    if (error === undefined) result.push({ name, row: data });
    else {
      const detail = `${position}${name && ` (${name})`}: ${firstIssue(error)}`;
      anomalies.push({ kind: 'invalid-row', detail });
    }
  }
  const unidentified = rows.length - names.size;
  return { rows: result, names: [...names], unidentified, anomalies };
}
