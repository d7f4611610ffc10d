import { InvalidFileError } from '../../validation/problem.ts';
import { readWebConfig } from '../../expose/web-config/web-config.ts';
import { print } from './print.ts';

/** Checks every file, and returns the exit code: 1 if one of them has a mistake. */
export async function checkWebConfig(files: readonly string[]): Promise<number> {
  let exitCode = 0;
  for (const file of files) {
    try {
      await readWebConfig(file);
      print(`${file}: valid\n`);
    } catch (error) {
      if (!(error instanceof InvalidFileError)) throw error;
      process.stderr.write(`${error.message}\n`);
      exitCode = 1;
    }
  }
  return exitCode;
}
