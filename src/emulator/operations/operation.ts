import type { Parameters } from '../protocol/parameters.ts';
import type { Behaviour } from '../scenario/behaviour.ts';
import type { Account, Region } from '../resources/model.ts';

/** The input of an operation on an account. */
export interface AccountContext {
  readonly account: Account;
  readonly behaviour: Behaviour;
}

/** The input of an operation on a region: the calling account, and the region. */
export interface OperationContext extends AccountContext {
  readonly region: Region;
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
