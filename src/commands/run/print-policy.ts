import { collectors as ownCollectors } from '../../collectors/collectors.ts';
import { loadConfig } from '../../config/config.ts';
import { planTargets } from '../../config/targets.ts';
import { print } from './print.ts';

export async function printPolicy(file: string, collectors = ownCollectors): Promise<void> {
  const config = await loadConfig(file, collectors);
  const targets = planTargets(config, collectors);
  const actions = new Set(targets.flatMap((target) => collectors.of(target).actions));
  const policy = {
    version: '2.0',
    statement: [
      {
        effect: 'allow',
        action: [...actions].sort(),
        resource: ['*'],
      },
    ],
  };
  print(`${JSON.stringify(policy, null, 2)}\n`);
}
