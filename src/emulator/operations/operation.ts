/**
 * The type of an operation and of its context, and what operations share: parameters, pages, overrides of rows, tags.
 */
import type { z } from 'zod';
import {
  parameterMap,
  parameterTypes,
  readParameters,
  refuseUnknown,
  type Parameters,
  type ParameterTypes,
} from '../protocol/parameters.ts';
import { check } from '../protocol/service-error.ts';
import type { Account } from '../scenario/account.ts';
import type { Region } from '../scenario/region.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { RowOverrides } from '../scenario/schema-parts.ts';
import type { EmulatorState, StoredKey } from '../state/state.ts';

/** What every operation gets besides its parameters. `service.ts` makes it for each request. */
export interface PublicContext {
  /** The scenario as read: `behaviour`, `site` and the other settings. {@link state} has the accounts of now. */
  readonly settings: Scenario;
  /** The state at the time of the request. */
  readonly state: EmulatorState;
  /**
   * The time of the emulator, for its state, its rate limit, and the end of keys and tokens, in milliseconds since the Unix
   * epoch. `advance` moves it.
   */
  readonly nowMs: number;
  /** The time of the clients, for timestamps of signatures and the end of a session in answers only. `advance` does not move it. */
  readonly clientNowMs: number;
}

/** What an operation on the account of the caller gets (scope `caller` in handlers.ts). */
export interface CallerContext extends PublicContext {
  readonly account: Account;
  /** `null` for an unsigned request. */
  readonly key: StoredKey | null;
}

/** What an operation on a region of the account gets (scope `region`). */
export interface RegionContext extends CallerContext {
  readonly region: Region;
}

/**
 * Answers one request. `dispatch.ts` has authenticated and counted it before, unless its scope is `public`.
 *
 * @returns the fields of `Response` without RequestId
 * @throws ServiceError the error that the client gets
 */
export type Operation<Context = RegionContext> = (parameters: Parameters, context: Context) => Row;

/** Fields of an answer, or of a row in it, by name. */
export type Row = Readonly<Record<string, unknown>>;

/** The parameters of a request as `answer` gets them: each may be absent. */
type Given<S extends z.ZodRawShape> = z.output<ReturnType<typeof parameterMap<S>>>;

/**
 * Creates an operation. It refuses every parameter that `shape` does not have.
 *
 * @param shape returns the schema of each parameter by its name. It is called once for each form of parameters, text and
 *   JSON, with the types of this form
 */
export function operation<S extends z.ZodRawShape, Context = RegionContext>(
  shape: (types: ParameterTypes) => S,
  answer: (given: Given<S>, context: Context) => Row,
): Operation<Context> {
  const { text, json } = parameterTypes;
  const schemas = { text: parameterMap(shape(text)), json: parameterMap(shape(json)) };
  return ({ form, values }, context) => {
    const { [form]: schema } = schemas;
    refuseUnknown(values, Object.keys(schema.shape));
    return answer(readParameters(schema, values), context);
  };
}

/** Creates an operation that refuses every parameter. */
export function withoutParameters<Context = RegionContext>(answer: (context: Context) => Row) {
  return operation(
    () => ({}),
    (_given, context: Context) => answer(context),
  );
}

/** The most rows that a page may have. */
export const maxLimit = 100;

/**
 * The rows of the requested page (docs/service.md, section 8): Offset from 0, Limit 1 to 100. Limit defaults
 * to 20.
 *
 * @throws ServiceError with `code` outside these bounds
 */
export function pageOf<T>(
  rows: readonly T[],
  offset = 0,
  limit = 20,
  code = 'InvalidParameterValue',
): readonly T[] {
  check(offset >= 0, code, 'The parameter `Offset` must be at least 0.');
  check(limit >= 1 && limit <= maxLimit, code, 'The parameter `Limit` must be from 1 to 100.');
  return rows.slice(offset, offset + limit);
}

/**
 * A row of an answer as its object in the scenario wants it: without the fields in `omit`, and with `fields`. Without such
 * an object, the row stays as it is.
 */
export function withOverrides(complete: Row, { omit = [], fields }: RowOverrides = {}): Row {
  const remaining = Object.entries(complete).filter(
    ([field]) => omit !== 'all' && !omit.includes(field),
  );
  return { ...Object.fromEntries(remaining), ...fields };
}

/**
 * The tags of a row, as most answers have them.
 *
 * @param more the fields that each has besides Key and Value
 */
export function tagRows(tags: Readonly<Record<string, string>>, more: Row = {}): readonly Row[] {
  return Object.entries(tags).map(([Key, Value]) => ({ ...more, Key, Value }));
}
