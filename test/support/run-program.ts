/** Runs a program until it ends. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execFileAsync = promisify(execFile);

/**
 * The standard output of the program, trimmed. An error contains its standard error.
 *
 * @param environment added to the environment of this process
 * @param directory working directory; defaults to that of this process
 * @throws when the exit code is not 0
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  directory = process.cwd(),
): Promise<string> {
  const { stdout } = await execFileAsync(program, args, {
    cwd: directory,
    env: { ...process.env, ...environment },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.trim();
}
