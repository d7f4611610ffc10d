/** Runs the commands of the program as a user does. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const mainFile = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  /** Resolves when the command has ended. */
  readonly result: Promise<CommandResult>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Resolves with the match when standard output or standard error contains the pattern. */
  readonly shows: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Writes to standard input. Only for a program that was started with `hasInput`. */
  readonly type: (text: string) => void;
  /** Ends standard input. */
  readonly endInput: () => void;
}

/** Starts a command. It is killed when the test has finished. */
export function startCommand(...args: string[]): RunningCommand {
  return startProgram(process.execPath, [mainFile, ...args]);
}

export interface ProgramOptions {
  /** Defaults to the directory of this process. */
  readonly directory?: string;
  /** Whether the test writes to standard input. Defaults to false: standard input is empty. */
  readonly hasInput?: boolean;
}

/** Starts any program. It is killed when the test has finished. */
export function startProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = { ...process.env, FORCE_COLOR: '' },
  { directory, hasInput = false }: ProgramOptions = {},
): RunningCommand {
  const child = spawn(program, args, { env, cwd: directory, stdio: 'pipe' });
  if (!hasInput) child.stdin.end();
  // A program may end before it has read everything.
  child.stdin.on('error', () => undefined);
  const output = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const check of waiting) check();
    });
  }
  const result = new Promise<CommandResult>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, ...output });
    });
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    result,
    signal: (signal) => void child.kill(signal),
    type: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const match = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
          if (match === null) return;
          waiting.delete(check);
          resolve(match);
        };
        waiting.add(check);
        check();
        void result.then(({ stderr }) => {
          reject(new Error(`ended without ${String(pattern)}: ${stderr}`));
        });
      }),
  };
}

/** Runs a command until it ends. */
export function runCommand(...args: string[]): Promise<CommandResult> {
  return startCommand(...args).result;
}

/** Runs a command that gets `input` on standard input. */
export function runCommandWithInput(
  input: string,
  args: readonly string[],
  directory?: string,
): Promise<CommandResult> {
  const command = startProgram(process.execPath, [mainFile, ...args], undefined, {
    hasInput: true,
    ...(directory !== undefined && { directory }),
  });
  command.type(input);
  command.endInput();
  return command.result;
}

/**
 * Runs a command in its own terminal, which also shows standard error. Needs `script` of bsdutils, which
 * every Debian has.
 *
 * @param env environment variables besides PATH
 */
export function runAtTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  return startAtTerminal(args, env, {}).result;
}

/** Starts a command in its own terminal, like {@link runAtTerminal}. */
export function startAtTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  options: ProgramOptions,
): RunningCommand {
  const quoted = [process.execPath, mainFile, ...args].map((arg) => `'${arg}'`).join(' ');
  return startProgram(
    'script',
    ['--quiet', '--return', '--command', `stty cols 100 rows 50; ${quoted}`, '/dev/null'],
    { PATH: process.env.PATH, TERM: 'xterm', ...env },
    options,
  );
}
