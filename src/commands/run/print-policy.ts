import { loadConfig } from '../../config/config.ts';
import { planTargets } from '../../config/plan.ts';
import { print } from './print.ts';

export async function printPolicy(file: string): Promise<void> {
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
