import { Command } from 'commander';
import { addConfigOption, examples, type ConfigFlags } from './options.ts';

/**
 * `print-policy`: the access policy with the least privileges that a configuration needs, in the form
 * of the cloud's access management (service-facts.md, section 9).
 */
export function printPolicyCommand(): Command {
  return addConfigOption(new Command('print-policy'))
    .description('print the least-privilege access policy for a configuration')
    .addHelpText(
      'after',
      examples(['print-policy --config.file=config.yaml > policy.json', 'what the key may do']),
    )
    .action(async (flags: ConfigFlags) => {
      const { printPolicy } = await import('./run/print-policy.ts');
      await printPolicy(flags['config.file']);
    });
}
