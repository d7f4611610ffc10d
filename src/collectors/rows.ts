/**
 * Reads the rows of answers one by one, so that a row that cannot be read does not affect the others. Each kind builds the
 * schema of its rows with it, and calls {@link readRows} or {@link zonedRowsReader}, often by `lists.ts`.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import {
  printable,
  firstIssue,
  quoted,
  readFields,
  unexpectedAnswer,
  type ServiceResponse,
} from '../api/response.ts';
import type { CodedError } from '../model/coded-error.ts';
import type { Anomaly } from '../model/poll-outcome.ts';
import { isMap } from '../validation/always.ts';

/** One item of each key: the last one, at the place of the first one. */
export function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

/** One item of each key, the last one; ascending by key. */
export function sortedBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  return uniqueBy(items, keyOf).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const maxTextLength = 128;

/** A text of a row that is a label, or is compared with one. */
export const printableText = z
  .string()
  .refine((value) => printable(value, maxTextLength) === value, { error: 'it is not printable' });

/**
 * A field that does not make its row invalid: `null` when it cannot be read, so only this field is unknown.
 *
 * @param absent the value of a field that is absent or `null`
 */
export const lenient = <T>(schema: z.ZodType<T>, absent: T | null = null) =>
  schema
    .nullish()
    .transform((value): T | null => value ?? absent)
    .catch(null);

/** A {@link lenient} field of a {@link rowOf}. @param name its name at the service */
export const field = <T>(name: string, schema: z.ZodType<T>, absent: T | null = null) =>
  lenient(schema, absent).meta({ field: name });

/**
 * The schema of an object of the service. The output has our names, and each {@link field} gives the name at the service.
 *
 * @param shape the fields, by our names
 * @throws Error if one is no {@link field}: a bug
 */
export function rowOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.entries(shape).map(([ourName, schema]) => {
    const serviceName = z.globalRegistry.get(schema)?.['field'];
    if (typeof serviceName !== 'string') throw new Error(`${ourName} is no field`);
    return [ourName, serviceName] as const;
  });
  const renamed = (given: unknown) =>
    isMap(given) ? Object.fromEntries(names.map(([ours, theirs]) => [ours, given[theirs]])) : given;
  return z.preprocess(renamed, z.object(shape));
}

/**
 * Whether a zone belongs to a region, by its name: `ap-shanghai-1` does to `ap-shanghai`, and `ap-shanghai-fsi-1` does
 * not.
 */
export function isZoneOf(region: string, zone: string): boolean {
  return zone.startsWith(`${region}-`) && !zone.slice(region.length + 1).includes('-');
}

/**
 * Checks that the zones of an answer belong to the region that was asked. Every kind whose answers have zones calls it.
 *
 * @throws CodedError `InvalidResponse` if one does not
 */
export function expectZonesOf(
  region: string,
  zones: readonly string[],
  requestId: string | null,
): void {
  const foreign = zones.find((zone) => !isZoneOf(region, zone));
  if (foreign !== undefined) throw aboutAnother(foreign, region, requestId);
}

/**
 * Makes the function that reads the rows of an answer without pages, each of which has a zone. A row that cannot be read
 * counts as one without fields. The function throws CodedError `InvalidResponse` also if a row is of another region.
 *
 * @param setName the name of the list in the answer
 * @param schema of a row. It must accept a row without fields
 */
export function zonedRowsReader<Row extends { readonly zone: string | null }>(
  setName: string,
  schema: z.ZodType<Row>,
) {
  const answerSchema = z.object({ [setName]: z.array(schema.catch(() => schema.parse({}))) });
  return (response: ServiceResponse, region: string): readonly Row[] => {
    const { [setName]: rows = [] } = readFields(response, answerSchema);
    const zones = rows.flatMap(({ zone }) => zone ?? []);
    expectZonesOf(region, zones, response.requestId);
    return rows;
  };
}

/** Returns the error of an answer about another region or template than was asked for. */
export function aboutAnother(other: string, asked: string, requestId: string | null): CodedError {
  const problem = `it is about ${quoted(other, 64)}, and ${asked} was asked for`;
  return unexpectedAnswer(problem, requestId);
}

/** Maximum number of rows that are read of a list or set: more than any of the service has. */
export const maxRows = 20_000;

/** How the rows of a list of an answer are read. */
export interface RowSet<S extends z.ZodType> {
  /** The name of the list at the service, such as `SubnetSet`. */
  readonly name: string;
  /**
   * The fields that identify a row. Their values, joined with spaces, are the `name` of the row in what is read, such
   * as the ID of a subnet. Without fields, the list has one row, and its `name` is empty.
   */
  readonly id: z.ZodType<Readonly<Record<string, string | number>>>;
  readonly schema: S;
  /** Whether the row with this name is wanted. A mistake in an unwanted row is no anomaly. Default: all are wanted. */
  readonly isWanted?: (name: string) => boolean;
}

/**
 * Reads the rows of a list. A row that occurs again is one row. Rows with one name and different contents are unreadable.
 *
 * @returns `rows`: the valid and wanted rows, in their order; `names`: those of all rows with a readable name, each
 *   once, also of unwanted rows and of rows with unreadable fields; `unidentified`: the number of rows without a
 *   readable name; `anomalies`: the wanted rows that are unreadable or occur again, and those without a readable name
 */
export function readRows<S extends z.ZodType>(
  rows: readonly unknown[],
  { id, isWanted = () => true, name: setName, schema }: RowSet<S>,
) {
  /** The row of each name. `null` if it is not wanted, or cannot be read. */
  const byName = new Map<string, { readonly row: z.output<S> } | null>();
  const anomalies: Anomaly[] = [];
  let unidentified = 0;
  for (const [index, given] of rows.entries()) {
    const position = `${setName}[${index}]`;
    const parsedId = id.safeParse(given);
    if (!parsedId.success) {
      anomalies.push({ kind: 'invalid-row', detail: `${position}: ${firstIssue(parsedId.error)}` });
      unidentified += 1;
      continue;
    }
    const name = Object.values(parsedId.data).join(' ');
    const before = byName.get(name);
    if (!isWanted(name)) {
      byName.set(name, null);
      continue;
    }
    const { data, error } = schema.safeParse(given);
    const read = error === undefined ? { row: data } : null;
    const isSame = before === undefined || isDeepStrictEqual(read, before);
    byName.set(name, isSame ? read : null);
    const shownName = quoted(name, 64);
    if (before !== undefined) {
      const difference = isSame ? '' : ', with other contents';
      const detail = `${position}: ${shownName || 'the region'} is there already${difference}`;
      anomalies.push({ kind: 'duplicate-row', detail, isHarmless: isSame });
    } else if (error !== undefined) {
      const detail = `${position}${shownName && ` (${shownName})`}: ${firstIssue(error)}`;
      anomalies.push({ kind: 'invalid-row', detail });
    }
  }
  const readable = [...byName].flatMap(([name, read]) => (read === null ? [] : { name, ...read }));
  return { rows: readable, names: [...byName.keys()], unidentified, anomalies };
}
