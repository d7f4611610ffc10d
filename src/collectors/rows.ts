/** Reads the sets of answers row by row, so that an invalid row does not affect the others. Kinds with sets and commands use it. */
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

/** The items without repeated keys, in the order in which each key comes first. Of one key, the last item counts. */
export function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

/** The items without repeated keys, by key. */
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

/** The schema of an object of the service, by our names of its fields. @throws Error if one is no {@link field}: a bug */
export function rowOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.entries(shape).map(([own, schema]) => {
    const name = z.globalRegistry.get(schema)?.['field'];
    if (typeof name !== 'string') throw new Error(`${own} is no field`);
    return [own, name] as const;
  });
  const renamed = (given: unknown) =>
    isMap(given) ? Object.fromEntries(names.map(([own, name]) => [own, given[name]])) : given;
  return z.preprocess(renamed, z.object(shape));
}

/** Whether a zone belongs to a region, as its name says: `ap-shanghai-fsi-1` is none of `ap-shanghai`. */
export function isZoneOf(region: string, zone: string): boolean {
  return zone.startsWith(`${region}-`) && !zone.slice(region.length + 1).includes('-');
}

/**
 * The one check of all answers with zones: a zone belongs to the region that was asked for.
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
 * Makes the function that reads the rows of an answer without pages, each of a zone. One that cannot be read has no fields.
 * The function throws CodedError `InvalidResponse` also if a row is of another region.
 *
 * @param name of their set
 * @param schema of a row, also of one without fields
 */
export function zonedRowsReader<Row extends { readonly zone: string | null }>(
  name: string,
  schema: z.ZodType<Row>,
) {
  const answerSchema = z.object({ [name]: z.array(schema.catch(() => schema.parse({}))) });
  return (response: ServiceResponse, region: string): readonly Row[] => {
    const { [name]: rows = [] } = readFields(response, answerSchema);
    const zones = rows.flatMap(({ zone }) => zone ?? []);
    expectZonesOf(region, zones, response.requestId);
    return rows;
  };
}

/** The error of an answer about something else than was asked for. */
export function aboutAnother(other: string, asked: string, requestId: string | null): CodedError {
  const problem = `it is about ${quoted(other, 64)}, and ${asked} was asked for`;
  return unexpectedAnswer(problem, requestId);
}

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

/**
 * Reads the rows of a set. A row that occurs again is one row. Rows with one name and different contents are unreadable.
 *
 * @returns `rows`: the valid and wanted rows, in their order; `names`: those of all rows with a readable name, also if other
 *   fields are unreadable; `unidentified`: the number of rows without a readable name; `anomalies`: the unreadable rows, and
 *   those that occur again
 */
export function readRows<S extends z.ZodType>(
  rows: readonly unknown[],
  { id, isWanted = () => true, name: setName, schema }: RowSet<S>,
) {
  /** `null` for a name whose row is not wanted, or cannot be read. */
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
    const row = error === undefined ? { row: data } : null;
    const isSame = before === undefined || isDeepStrictEqual(row, before);
    byName.set(name, isSame ? row : null);
    const named = quoted(name, 64);
    if (before !== undefined) {
      const difference = isSame ? '' : ', with other contents';
      const detail = `${position}: ${named || 'the region'} is there already${difference}`;
      anomalies.push({ kind: 'duplicate-row', detail, isHarmless: isSame });
    } else if (error !== undefined) {
      const detail = `${position}${named && ` (${named})`}: ${firstIssue(error)}`;
      anomalies.push({ kind: 'invalid-row', detail });
    }
  }
  const readable = [...byName].flatMap(([name, read]) => (read === null ? [] : { name, ...read }));
  return { rows: readable, names: [...byName.keys()], unidentified, anomalies };
}
