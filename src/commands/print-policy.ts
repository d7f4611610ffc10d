import { Command } from 'commander';
import { addConfigOption, examples } from './options.ts';
import type { ConfigFlags } from './run/flags.ts';

/**
 * `print-policy`: prints the access policies with the least privileges that a configuration needs, in the format
 * of the cloud's access management (docs/service.md, section 12).
 */
export function printPolicyCommand(): Command {
  return addConfigOption(new Command('print-policy'))
    .description('print the access policies with the least privileges that a configuration needs')
    .addHelpText(
      'after',
      examples([
        'print-policy --config.file=config.yaml > policies.json',
        'the permissions of each key and role, and who may assume a role',
      ]),
    )
    .action(async (flags: ConfigFlags) => {
      const { printPolicy } = await import('./run/print-policy.ts');
      await printPolicy(flags['config.file']);
    });
}
