/** The contract of the file of a command with `program.ts`, and what commands share: output, exit codes, the text of errors. */
import { basename, relative } from 'node:path';
import { CommanderError, InvalidArgumentError, type Command } from 'commander';
import type { Runtime } from '../daemon/runtime.ts';
import { BoundedCalls, HungCallError } from '../bounded-calls.ts';
import { StoreError } from '../storage/store-error.ts';
import { ListenError } from '../expose/listen-address.ts';
import { InvalidFileError } from '../validation/problem.ts';
import { exitCodeOf, type HandledSignal } from './signals.ts';

/** The exports of the file of a command, with which `program.ts` defines and runs the command. */
export interface CommandFile {
  /** Shown at the end of the help of the command: arguments, and what they do. */
  readonly examples: readonly (readonly [args: string, effect: string])[];
  /** Adds its flags and arguments. */
  define(command: Command): void;
  /**
   * Runs the command, once. An error ends the process with the text of {@link explain}.
   *
   * @param flags the values that Commander read, by the names of the flags in camelCase
   * @returns the exit code; `undefined` for 0
   */
  run(flags: unknown, command: Command): Promise<number | undefined> | undefined;
}

/** The exit codes of `check`. They are those of Nagios plugins. */
export const checkExitCodes = { fine: 0, warning: 1, critical: 2, unknown: 3 } as const;

/** The error for a mistake in the flags that Commander could not see. Its message and a hint at the help are shown. */
export const UsageError = InvalidArgumentError;

/** The error of a command that a signal, or Ctrl-C at a question, has ended. It has the exit code of the signal. */
export function interruptedBy(signal: HandledSignal): CommanderError {
  return new CommanderError(exitCodeOf(signal), 'interrupted', `interrupted by ${signal}`);
}

/** Errors whose message says what a user can do. */
const errorsOfUse = [CommanderError, InvalidFileError, ListenError, HungCallError, StoreError];

/**
 * The text for an error that ended a command: the message of an error that a user can act on. Any other error is a bug
 * of the program, and the text is the stack.
 */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof UsageError) return `error: ${error.message}`;
  const isOfUse = errorsOfUse.some((type) => error instanceof type);
  return isOfUse ? error.message : (error.stack ?? error.message);
}

/** How a user called the program, for hints: by the name of its package, by npx, or by a file of the working directory. */
export function calledAs(caller: Pick<NodeJS.Process, 'argv' | 'cwd' | 'env'>): string {
  const name = 'cvm-quota-monitor';
  if (caller.env['npm_command'] === 'exec') return `npx ${name}`;
  const path = relative(caller.cwd(), caller.argv[1] ?? '');
  return basename(path) === 'main.js' && !path.startsWith('..') ? `node ${path}` : name;
}

/** Writes a result to standard output. Logs and errors go to standard error. */
export function printResult(text: string): void {
  process.stdout.write(text);
}

/** Writes a line to standard error, so that it is not a part of the result. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/**
 * The clock, random numbers, environment and file calls of this process. A command calls this once, because all bounded file
 * calls share the threads.
 */
export function processRuntime(): Runtime {
  return {
    clock: { now: Date.now },
    random: Math.random,
    env: process.env,
    fileCalls: new BoundedCalls(),
  };
}
