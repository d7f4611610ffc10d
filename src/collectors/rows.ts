/** Reads the rows of a set one by one, so that a wrong row costs itself and no other. */
import type { z } from 'zod';
import type { Anomaly } from '../model/poll-outcome.ts';
import { firstIssue } from '../api/response.ts';

/** More rows than any set of the service has; what comes after them is not read. */
export const maxRows = 1000;

export interface RowSet<S extends z.ZodType> {
  /** The set's name at the service, for anomalies. */
  readonly name: string;
  readonly schema: S;
  /** What no two rows may share. */
  readonly identity: (row: z.output<S>) => string | number | null;
}

/**
 * The rows that are right, in their order. Of rows with the same identity the first counts; the
 * wrong and the repeated are added to `anomalies`.
 */
export function readRows<S extends z.ZodType>(
  rows: readonly unknown[],
  { name, schema, identity }: RowSet<S>,
  anomalies: Anomaly[],
): z.output<S>[] {
  if (rows.length > maxRows) {
    const detail = `${name}: ${rows.length} rows, of which ${maxRows} are read`;
    anomalies.push({ kind: 'too-many-rows', detail });
  }
  const seen = new Set<string | number | null>();
  const result: z.output<S>[] = [];
  for (const [index, row] of rows.slice(0, maxRows).entries()) {
    const parsed = schema.safeParse(row);
    if (!parsed.success) {
      const detail = `${name}[${index}]: ${firstIssue(parsed.error)}`;
      anomalies.push({ kind: 'invalid-row', detail });
      continue;
    }
    const key = identity(parsed.data);
    if (seen.has(key)) {
      const detail = `${name}[${index}]: ${key ?? 'the region'} is there already`;
      anomalies.push({ kind: 'duplicate-row', detail });
      continue;
    }
    seen.add(key);
    result.push(parsed.data);
  }
  return result;
}
