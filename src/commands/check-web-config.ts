import { Command } from 'commander';
import { readWebConfig } from '../expose/web-config/web-config.ts';
import { InvalidFileError } from '../validation/problem.ts';
import { print, type ExitWith } from './command.ts';
import { examples } from './options.ts';

/** `check-web-config`: validates files with TLS and users, and the certificates that they name. */
export function checkWebConfigCommand(exitWith: ExitWith): Command {
  return new Command('check-web-config')
    .argument('<file...>', 'the files')
    .addHelpText(
      'after',
      examples(['check-web-config web.yaml', 'exits 1 when a file has a mistake']),
    )
    .action((files: string[]) => checkWebConfig(files).then(exitWith));
}

/** Checks every file, and returns the exit code: 1 if one of them has a mistake. */
async function checkWebConfig(files: readonly string[]): Promise<number> {
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
