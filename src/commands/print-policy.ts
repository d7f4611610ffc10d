import { Command } from 'commander';
import { loadConfig } from '../config/config.ts';
import { planTargets } from '../config/plan.ts';
import { configOption, type ConfigFlags } from './options.ts';
import { print } from './print.ts';

/**
 * `print-policy`: the access policy with the least privileges that a configuration needs, in the form
 * of the cloud's access management (service-facts.md, section 9).
 */
export function printPolicyCommand(): Command {
  return new Command('print-policy')
    .description('print the least-privilege access policy for a configuration')
    .addOption(configOption())
    .action(async (flags: ConfigFlags) => {
      await printPolicy(flags['config.file']);
    });
}

async function printPolicy(file: string): Promise<void> {
  const config = await loadConfig(file);
  const operations = new Set(planTargets(config).map(({ operation }) => operation));
  const policy = {
    version: '2.0',
    statement: [
      {
        effect: 'allow',
        action: [...operations].sort().map((operation) => `name/cvm:${operation}`),
        resource: ['*'],
      },
    ],
  };
  print(`${JSON.stringify(policy, null, 2)}\n`);
}
