import type { Parameters } from '../protocol/parameters.ts';
import type { Behaviour } from '../scenario/behaviour.ts';
import type { Account, Region } from '../resources/model.ts';

/** What an operation of an account may look at. */
export interface AccountContext {
  readonly account: Account;
  readonly behaviour: Behaviour;
}

/** What an operation of a region may look at: the calling account, and the region that it asks about. */
export interface OperationContext extends AccountContext {
  readonly region: Region;
}

type Answering<Context> = (
  parameters: Parameters,
  context: Context,
) => Readonly<Record<string, unknown>>;

/**
 * Answers a request that has been let in.
 *
 * @returns the fields of `Response` without RequestId
 * @throws ServiceError
 */
export type Operation = Answering<OperationContext>;

/** An {@link Operation} that needs no Region. */
export type AccountOperation = Answering<AccountContext>;
