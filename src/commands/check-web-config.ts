/** The command `check-web-config`: validates files for `serve --web.config.file`. */
import type { Command } from 'commander';
import { readWebConfig } from '../expose/web-config/web-config.ts';
import { InvalidFileError } from '../validation/problem.ts';
import { printResult, type CommandFile } from './command.ts';

export const examples: CommandFile['examples'] = [
  ['check-web-config web.yaml', 'exits 1 when a file has a mistake'],
];

export function define(command: Command): void {
  command.argument('<file...>', 'the files');
}

/**
 * Reports on every file, also after one with a mistake.
 *
 * @returns the exit code: 1 if a file, or a certificate that it names, has a mistake, else 0
 */
export async function run(_flags: unknown, { args: files }: Command): Promise<number> {
  let exitCode = 0;
  for (const file of files) {
    try {
      await readWebConfig(file);
      printResult(`${file}: valid\n`);
    } catch (error) {
      if (!(error instanceof InvalidFileError)) throw error;
      process.stderr.write(`${error.message}\n`);
      exitCode = 1;
    }
  }
  return exitCode;
}
