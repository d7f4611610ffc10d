/** What operations share: what they get, how they page, and how a scenario changes their rows. */
import { integerOf, type Parameters } from '../protocol/parameters.ts';
import { ServiceError } from '../protocol/service-error.ts';
import type { Account } from '../scenario/account.ts';
import type { Region } from '../scenario/region.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { RowOverrides } from '../scenario/schema-parts.ts';
import type { StoredKey } from '../state/key-store.ts';
import type { EmulatorState } from '../state/state.ts';

/** The input of an operation that needs no authentication. */
export interface PublicContext extends Pick<Scenario, 'behaviour' | 'site'> {
  readonly state: EmulatorState;
  /** The clock for the expiry of tokens. Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The clock that clients have too. */
  readonly clientNowMs: number;
}

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
 * Answers a request.
 *
 * @returns the fields of `Response` without RequestId
 * @throws ServiceError
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
 * @throws ServiceError `InvalidParameterValue` outside these bounds
 */
export function pageOf<T>(rows: readonly T[], parameters: Parameters): readonly T[] {
  const offset = integerOf(parameters, 'Offset') ?? 0;
  const limit = integerOf(parameters, 'Limit') ?? defaultLimit;
  if (offset < 0) {
    throw new ServiceError('InvalidParameterValue', 'The parameter `Offset` must be at least 0.');
  }
  if (limit < 1 || limit > maxLimit) {
    throw new ServiceError('InvalidParameterValue', 'The parameter `Limit` must be from 1 to 100.');
  }
  return rows.slice(offset, offset + limit);
}

type Row = Readonly<Record<string, unknown>>;

/** The row of an answer. A scenario can omit or replace its fields. */
export function withOverrides(complete: Row, { omit = [], fields }: RowOverrides): Row {
  const kept =
    omit === 'all' ? {} : omit.reduce((row, field) => without(row, field.split('.')), complete);
  return { ...kept, ...fields };
}

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

/** Whether tags have what one of the filters `tag-key`, `tag-value` and `tag:KEY` asks for. `null` for another filter. */
export function matchesTagFilter(
  tags: Readonly<Record<string, string>>,
  filter: string,
  values: readonly string[],
): boolean | null {
  if (filter === 'tag-key') return Object.keys(tags).some((key) => values.includes(key));
  if (filter === 'tag-value') return Object.values(tags).some((value) => values.includes(value));
  if (!filter.startsWith('tag:')) return null;
  const value = tags[filter.slice('tag:'.length)];
  return value !== undefined && values.includes(value);
}
