/** Reads the rows of a set one by one, so that an invalid row does not affect the others. */
import type { z } from 'zod';
import type { Anomaly } from '../model/poll-outcome.ts';
import { firstIssue } from '../api/response.ts';

/** A field that may be absent. `null` when it cannot be read: only this field is unknown then. */
export const known = <T>(schema: z.ZodType<T>, absent: T | null = null) =>
  schema
    .nullish()
    .transform((value) => value ?? absent)
    .nullable()
    .catch(null);

/** More rows than any set of the service has. Later rows are not read. */
export const maxRows = 1000;

export interface RowSet<S extends z.ZodType> {
  /** The set's name at the service, for anomalies. */
  readonly name: string;
  readonly schema: S;
  /** The name of a row. It must be unique. `null` when it cannot be read. */
  readonly nameOf: (row: unknown) => string | null;
  /** Whether the row with this name is wanted. A mistake in an unwanted row is not an anomaly. Default: all. */
  readonly isWanted?: (name: string) => boolean;
  /** Default: {@link maxRows}. */
  readonly maxRows?: number;
}

export interface RowsReading<Row> {
  /** The valid and wanted rows, in their order. */
  readonly rows: readonly { readonly name: string; readonly row: Row }[];
  /** The names of all rows with a readable name, also if other fields are unreadable. */
  readonly names: readonly string[];
  /** The number of rows without a name, with a repeated name, or beyond the bound. */
  readonly unidentified: number;
}

/** If rows have the same name, the first one is used. Each unreadable row is added to `anomalies`. */
export function readRows<S extends z.ZodType>(
  rows: readonly unknown[],
  { name: setName, schema, nameOf, isWanted = () => true, maxRows: max = maxRows }: RowSet<S>,
  anomalies: Anomaly[],
): RowsReading<z.output<S>> {
  const names = new Set<string>();
  const result: { name: string; row: z.output<S> }[] = [];
  if (rows.length > max) {
    const detail = `${setName}: ${rows.length} rows, of which ${max} are read`;
    anomalies.push({ kind: 'too-many-rows', detail });
  }
  for (const [index, row] of rows.slice(0, max).entries()) {
    const name = nameOf(row);
    if (name !== null && names.has(name)) {
      const detail = `${setName}[${index}]: ${name === '' ? 'the region' : name} is there already`;
      anomalies.push({ kind: 'duplicate-row', detail });
      continue;
    }
    if (name !== null) names.add(name);
    if (name !== null && !isWanted(name)) continue;
    const parsed = schema.safeParse(row);
    if (name !== null && parsed.success) {
      result.push({ name, row: parsed.data });
      continue;
    }
    const problem = parsed.error === undefined ? 'no name' : firstIssue(parsed.error);
    const place = `${setName}[${index}]${name === null || name === '' ? '' : ` (${name})`}`;
    anomalies.push({ kind: 'invalid-row', detail: `${place}: ${problem}` });
  }
  return { rows: result, names: [...names], unidentified: rows.length - names.size };
}
