import { Command } from 'commander';
import { addConfigOption, examples } from './options.ts';
import type { ConfigFlags } from './run/flags.ts';

/** `check-config`: validates a configuration, and says whether a cycle fits its schedule. */
export function checkConfigCommand(): Command {
  return addConfigOption(new Command('check-config'))
    .description('validate a configuration, and print its targets and the requests of a cycle')
    .addHelpText(
      'after',
      examples(['check-config --config.file=config.yaml', 'exits 1 when the file has a mistake']),
    )
    .action(async (flags: ConfigFlags) => {
      const { checkConfig } = await import('./run/check-config.ts');
      await checkConfig(flags);
    });
}
