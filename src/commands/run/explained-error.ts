import { HungCallError } from '../../files/bounded-calls.ts';
import { ListenError } from '../../expose/server.ts';
import { StoreError } from '../../state/store.ts';
import { InvalidFileError } from '../../validation/problem.ts';
import { UsageError } from './usage-error.ts';

/**
 * The text for an error that ended a command. For known errors it is the message. Any other error is a bug of
 * the program, and the text is the stack.
 */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof UsageError) return `error: ${error.message}`;
  const isExplained =
    error instanceof InvalidFileError ||
    error instanceof ListenError ||
    error instanceof HungCallError ||
    error instanceof StoreError;
  return isExplained ? error.message : (error.stack ?? error.message);
}
