import { Command } from 'commander';
import { examples, type ExitWith } from './options.ts';

/** `check-web-config`: validates files with TLS and users, and the certificates that they name. */
export function checkWebConfigCommand(exitWith: ExitWith): Command {
  return new Command('check-web-config')
    .description('validate files for --web.config.file, and the certificates that they name')
    .argument('<file...>', 'the files')
    .addHelpText(
      'after',
      examples(['check-web-config web.yaml', 'exits 1 when a file has a mistake']),
    )
    .action(async (files: string[]) => {
      const { checkWebConfig } = await import('./run/check-web-config.ts');
      exitWith(await checkWebConfig(files));
    });
}
