import type { Parameters } from '../protocol/parameters.ts';
import type { Behaviour } from '../scenario/behaviour.ts';
import type { AccessKey, Account } from '../resources/accounts.ts';
import type { Region } from '../resources/regions.ts';

/** The input of an operation on an account. */
export interface AccountContext {
  readonly account: Account;
  readonly behaviour: Behaviour;
}

/** The input of an operation on a region: the calling account, and the region. */
export interface OperationContext extends AccountContext {
  readonly region: Region;
}

/** The account and the key of an authenticated request. */
export interface Caller {
  readonly account: Account;
  /** `null` for an unsigned request. */
  readonly key: AccessKey | null;
}

/** The input of an operation that needs no authentication. */
export interface PublicContext {
  readonly accounts: readonly Account[];
  /** The clock for the expiry of tokens. Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The clock that clients have too. */
  readonly clientNowMs: number;
}

/** The input of an operation on the identity of the caller. */
export interface IdentityContext extends PublicContext {
  readonly caller: Caller;
}

type Answering<Context> = (
  parameters: Parameters,
  context: Context,
) => Readonly<Record<string, unknown>>;

/**
 * Answers an authenticated request.
 *
 * @returns the fields of `Response` without RequestId
 * @throws ServiceError
 */
export type Operation = Answering<OperationContext>;

/** An {@link Operation} that needs no Region. */
export type AccountOperation = Answering<AccountContext>;

/** An {@link Operation} on the identity of the caller. */
export type IdentityOperation = Answering<IdentityContext>;

/** An {@link Operation} that needs no authentication. */
export type PublicOperation = Answering<PublicContext>;
