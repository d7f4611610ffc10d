/** Runs a program to its end. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execFileAsync = promisify(execFile);

/**
 * What the program printed to standard output, trimmed; a failure carries what it printed to
 * standard error.
 *
 * @param environment added to that of this process
 * @param directory where it runs; that of this process by default
 * @throws when it ends with another code than 0
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
