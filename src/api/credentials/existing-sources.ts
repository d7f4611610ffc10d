import type { BoundedCalls } from '../../files/bounded-calls.ts';
import { profileExists, usualProfileFiles } from './profile.ts';
import { tkeVariables, usualNames } from './usual-names.ts';

/** The sources that credentials of the type `default` look for. The role of a machine is the last resort. */
type DefaultSource = 'environment' | 'profile' | 'tke_oidc';

/** Whether each source exists, in the order of their use. Reads no secret. */
export function existingSources(
  env: Readonly<Record<string, string | undefined>>,
  calls: BoundedCalls,
): Readonly<Record<DefaultSource, () => Promise<boolean>>> {
  const isSet = (...names: string[]) => names.some((name) => (env[name] ?? '').trim() !== '');
  return {
    environment: () => Promise.resolve(isSet(usualNames.secretId, usualNames.secretKey)),
    profile: () => profileExists(usualProfileFiles(env['HOME']), calls),
    tke_oidc: () => Promise.resolve(isSet(tkeVariables.roleArn, tkeVariables.tokenFile)),
  };
}
