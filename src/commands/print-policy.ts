import { Command } from 'commander';
import { addConfigOption, examples } from './options.ts';
import type { ConfigFlags } from './run/flags.ts';

/**
 * `print-policy`: prints the access policy with the least privileges that a configuration needs, in the format
 * of the cloud's access management (docs/service.md, section 12).
 */
export function printPolicyCommand(): Command {
  return addConfigOption(new Command('print-policy'))
    .description('print the access policy with the least privileges that a configuration needs')
    .addHelpText(
      'after',
      examples([
        'print-policy --config.file=config.yaml > policy.json',
        'the permissions of the key',
      ]),
    )
    .action(async (flags: ConfigFlags) => {
      const { printPolicy } = await import('./run/print-policy.ts');
      await printPolicy(flags['config.file']);
    });
}
