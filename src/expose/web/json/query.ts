/**
 * The query parameters of `/api/v1`. They are read strictly, so that a misspelt filter is an error and is not
 * ignored.
 */
import { z } from 'zod';
import type { Filter } from '../filter.ts';

/**
 * The requested accounts, regions and times. An empty list means all. Both ends of the time are optional.
 */
interface CommonFilter {
  readonly account: readonly string[];
  readonly region: readonly string[];
  /** Included; milliseconds since the Unix epoch. */
  readonly from?: number | undefined;
  /** Excluded, so that two adjacent ranges share no instant. */
  readonly to?: number | undefined;
}

/** An invalid query. The message names each invalid parameter and the accepted values. */
export class QueryError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'QueryError';
  }
}

/** The error for a cursor that names nothing any more. */
export function unknownCursor(): QueryError {
  return new QueryError('cursor must be the next_cursor of an answer; start again without it');
}

const maxLimit = 1_000;
const defaultLimit = 100;

const once = z.tuple([z.string()], { error: 'must be given once' }).transform(([text]) => text);

const timeMessage =
  'must be a time such as 2026-02-03T14:05:00Z, or milliseconds since the Unix epoch';
const time = once.pipe(
  z.union(
    [
      z
        .string()
        .regex(/^\d{1,15}$/)
        .transform(Number),
      z.iso.datetime({ offset: true }).transform(Date.parse),
      z.iso.date().transform(Date.parse),
    ],
    { error: timeMessage },
  ),
);

const limitMessage = `must be a whole number from 1 to ${maxLimit}`;
const limit = once.pipe(
  z
    .string()
    .regex(/^\d{1,4}$/, { error: limitMessage })
    .transform(Number)
    .pipe(z.int().min(1, { error: limitMessage }).max(maxLimit, { error: limitMessage })),
);

const names = z.array(z.string()).default([]);

function oneOf(values: readonly string[]) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

const common = {
  account: names,
  region: names,
  from: time.optional(),
  to: time.optional(),
  limit: limit.default(defaultLimit),
};

/** @param kinds the existing kinds of changes */
const changesSchema = (kinds: readonly string[]) =>
  z.strictObject({
    ...common,
    kind: z.array(oneOf(kinds)).default([]),
    cursor: once
      .pipe(
        z
          .string()
          .regex(/^\d{1,16}-[0-9a-f]{12}$/, { error: 'must be the next_cursor of an answer' }),
      )
      .optional(),
  });

/** @param kinds the existing kinds of targets */
const targetsSchema = (kinds: readonly string[]) =>
  z.strictObject({
    ...common,
    kind: z.array(oneOf(kinds)).default([]),
    up: once
      .pipe(oneOf(['true', 'false']))
      .transform((text) => text === 'true')
      .optional(),
    cursor: once.optional(),
  });

/** @param kinds the existing kinds of targets */
const quotasSchema = (kinds: readonly string[]) =>
  z.strictObject({
    account: names,
    region: names,
    kind: z.array(oneOf(kinds)).default([]),
    target: once.optional(),
    q: once.optional(),
    show: once.pipe(oneOf(['problems'])).optional(),
    format: once
      .pipe(z.enum(['json', 'csv'], { error: 'must be one of json, csv' }))
      .default('json'),
    limit: limit.optional(),
    cursor: once.optional(),
  });

export type ChangesQuery = z.output<ReturnType<typeof changesSchema>>;
export type TargetsQuery = z.output<ReturnType<typeof targetsSchema>>;

/** @throws QueryError */
export function parseChangesQuery(search: URLSearchParams, kinds: readonly string[]): ChangesQuery {
  return parse(changesSchema(kinds), search);
}

/** @throws QueryError */
export function parseTargetsQuery(search: URLSearchParams, kinds: readonly string[]): TargetsQuery {
  return parse(targetsSchema(kinds), search);
}

/** What `/api/v1/quotas` is asked for. */
export interface QuotasQuery {
  readonly filter: Filter;
  readonly format: 'json' | 'csv';
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** @throws QueryError */
export function parseQuotasQuery(search: URLSearchParams, kinds: readonly string[]): QuotasQuery {
  const query = parse(quotasSchema(kinds), search);
  const { account, region, kind, target = '', q = '', show, format, cursor } = query;
  if (format === 'csv' && (query.limit !== undefined || cursor !== undefined)) {
    throw new QueryError('limit and cursor do not apply to csv, which has every quota');
  }
  return {
    filter: {
      accounts: account,
      regions: region,
      kinds: kind,
      target,
      text: q.trim(),
      onlyProblems: show === 'problems',
    },
    format,
    limit: query.limit ?? defaultLimit,
    cursor,
  };
}

/** Whether an object of this account and region, with this time, is requested. */
export function isAskedFor(
  filter: CommonFilter,
  { account, region, atMs }: { account: string; region: string; atMs: number | null },
): boolean {
  const { from = -Infinity, to = Infinity } = filter;
  const isTimed = filter.from !== undefined || filter.to !== undefined;
  return (
    includes(filter.account, account) &&
    includes(filter.region, region) &&
    (atMs === null ? !isTimed : atMs >= from && atMs < to)
  );
}

/** Whether a list of a query contains `value`. An empty list contains every value. */
export function includes(asked: readonly string[], value: string): boolean {
  return asked.length === 0 || asked.includes(value);
}

function parse<S extends z.ZodType>(schema: S, search: URLSearchParams): z.output<S> {
  const given = new Map<string, string[]>();
  for (const [name, text] of search) {
    // A form or a dashboard variable sends an empty value when nothing is chosen.
    if (text !== '') given.set(name, [...(given.get(name) ?? []), text]);
  }
  const result = schema.safeParse(Object.fromEntries(given));
  if (result.success) return result.data;
  throw new QueryError(result.error.issues.map((issue) => sentence(issue, schema)).join('; '));
}

function sentence(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  if (issue.code === 'unrecognized_keys') {
    const known = schema instanceof z.ZodObject ? Object.keys(schema.shape).sort() : [];
    return `unknown parameter ${issue.keys.join(', ')}; allowed are ${known.join(', ')}`;
  }
  return `${String(issue.path[0])} ${issue.message}`;
}
