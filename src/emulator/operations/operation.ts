import type { Parameters } from '../protocol/parameters.ts';
import type { Behaviour } from '../scenario/behaviour.ts';
import type { Account, Region } from '../resources/model.ts';

/** What an operation may look at: the calling account and the region asked about. */
export interface OperationContext {
  readonly account: Account;
  readonly region: Region;
  readonly behaviour: Behaviour;
}

/**
 * Answers a request that has been let in.
 *
 * @returns the fields of `Response` without RequestId
 * @throws ServiceError
 */
export type Operation = (
  parameters: Parameters,
  context: OperationContext,
) => Readonly<Record<string, unknown>>;
