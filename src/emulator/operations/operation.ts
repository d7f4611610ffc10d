/**
 * The type of an operation and of its context, and what operations share: pages, overrides of rows, tags.
 */
import { integerOf, type Parameters } from '../protocol/parameters.ts';
import { check } from '../protocol/service-error.ts';
import type { Account } from '../scenario/account.ts';
import type { Region } from '../scenario/region.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { RowOverrides } from '../scenario/schema-parts.ts';
import type { StoredKey } from '../state/key-store.ts';
import type { EmulatorState } from '../state/state.ts';

/** The state at the time of a request. */
export interface StateAndTime {
  readonly state: EmulatorState;
  /** The time by which keys and tokens end, in milliseconds since the Unix epoch. `advance` moves it. */
  readonly nowMs: number;
  /** The time that clients see, for signatures and the end of a session in answers. `advance` does not move it. */
  readonly clientNowMs: number;
}

/** The context of an operation, besides its parameters. An operation of the scope `public` gets no more. */
export interface PublicContext extends StateAndTime, Pick<Scenario, 'behaviour' | 'site'> {}

/** The account and the key of an authenticated request. */
export interface Caller {
  readonly account: Account;
  /** `null` for an unsigned request. */
  readonly key: StoredKey['key'] | null;
}

/** The input of an operation on the account of the caller. */
export interface CallerContext extends PublicContext, Caller {}

/** The input of an operation on a region of the account. */
export interface RegionContext extends CallerContext {
  readonly region: Region;
}

/**
 * Answers one request. `dispatch.ts` has authenticated and counted it before, unless its scope is `public`.
 *
 * @returns the fields of `Response` without RequestId
 * @throws ServiceError the error that the client gets
 */
export type Operation<Context = RegionContext> = (
  parameters: Parameters,
  context: Context,
) => Readonly<Record<string, unknown>>;

const defaultLimit = 20;
export const maxLimit = 100;

/**
 * The rows of the requested page (docs/service.md, section 8): Offset from 0, Limit 1 to 100. Limit defaults
 * to 20.
 *
 * @throws ServiceError with `code` outside these bounds
 */
export function pageOf<T>(
  rows: readonly T[],
  parameters: Parameters,
  code = 'InvalidParameterValue',
): readonly T[] {
  const offset = integerOf(parameters, 'Offset') ?? 0;
  const limit = integerOf(parameters, 'Limit') ?? defaultLimit;
  check(offset >= 0, code, 'The parameter `Offset` must be at least 0.');
  const isLimit = limit >= 1 && limit <= maxLimit;
  check(isLimit, code, 'The parameter `Limit` must be from 1 to 100.');
  return rows.slice(offset, offset + limit);
}

type Row = Readonly<Record<string, unknown>>;

/** The row of an answer, without the fields that the scenario omits, and with those that it sets. */
export function withOverrides(complete: Row, { omit = [], fields }: RowOverrides): Row {
  const remaining =
    omit === 'all' ? {} : omit.reduce((row, field) => without(row, field.split('.')), complete);
  return { ...remaining, ...fields };
}

/** The row without the field at a path such as `['Placement', 'Zone']`. */
function without(row: Row, [name = '', ...path]: readonly string[]): Row {
  if (path.length === 0) {
    return Object.fromEntries(Object.entries(row).filter(([field]) => field !== name));
  }
  const inner = row[name];
  return isRow(inner) ? { ...row, [name]: without(inner, path) } : row;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The tags of a row, as most answers have them.
 *
 * @param more what each has besides
 */
export function tagRows(tags: Readonly<Record<string, string>>, more: Row = {}) {
  return Object.entries(tags).map(([Key, Value]) => ({ ...more, Key, Value }));
}
