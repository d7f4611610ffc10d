import { collectors as ownCollectors } from '../../collectors/collectors.ts';
import { accessPolicies } from '../../config/policies.ts';
import { planTargets } from '../../config/targets.ts';
import { print } from './print.ts';
import { readConfig } from './read-config.ts';

export async function printPolicy(file: string, collectors = ownCollectors): Promise<void> {
  const config = await readConfig(file, { collectors, readAuthorities: null });
  const targets = planTargets(config, collectors);
  const actionsOf = (account: string) =>
    targets
      .filter((target) => target.account === account)
      .flatMap((target) => collectors.of(target).actions);
  print(`${JSON.stringify(accessPolicies(config, actionsOf), null, 2)}\n`);
}
