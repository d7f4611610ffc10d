import { ListenError } from '../../expose/web/server.ts';
import { StoreError } from '../../state/store.ts';
import { InvalidFileError } from '../../validation/problem.ts';

/**
 * What to tell of an error that ended a command: the message, where it says all that a user needs;
 * else it is a fault of ours, and the stack is worth having.
 */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExplained =
    error instanceof InvalidFileError ||
    error instanceof ListenError ||
    error instanceof StoreError;
  return isExplained ? error.message : (error.stack ?? error.message);
}
