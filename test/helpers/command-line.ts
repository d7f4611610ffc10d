/** Runs the program's commands as a person at a terminal does. */
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
  /** Settles when the command has ended. */
  readonly result: Promise<CommandResult>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Resolves with the match when standard output or standard error shows the pattern. */
  readonly shows: (pattern: RegExp) => Promise<RegExpExecArray>;
}

/** Starts a command; it is killed when the test has finished. */
export function startCommand(...args: string[]): RunningCommand {
  return startProgram(process.execPath, [mainFile, ...args]);
}

/** Starts any program; it is killed when the test has finished. */
export function startProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = { ...process.env, FORCE_COLOR: '' },
): RunningCommand {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
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

/** Runs a command to its end. */
export function runCommand(...args: string[]): Promise<CommandResult> {
  return startCommand(...args).result;
}

/**
 * Runs a command at a terminal of its own, which takes standard error too. Needs `script` of
 * bsdutils, which every Debian has.
 *
 * @param env what it gets besides PATH
 */
export function runAtTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const quoted = [process.execPath, mainFile, ...args].map((arg) => `'${arg}'`).join(' ');
  return startProgram(
    'script',
    ['--quiet', '--return', '--command', `stty cols 100 rows 50; ${quoted}`, '/dev/null'],
    { PATH: process.env.PATH, TERM: 'xterm', ...env },
  ).result;
}
