/** Says how the hosts of a configuration are reached. Shows no user and no password. */
import { proxiesOf, type Environment } from '../api/proxy.ts';
import { endpointOf, type Service } from '../api/request.ts';
import type { Target } from '../model/target.ts';
import type { Config } from './config.ts';
import type { CredentialsConfig } from './credentials-schema.ts';
import { servicesAsked } from './credentials-types.ts';

interface NetworkContext {
  readonly targets: readonly Target[];
  readonly serviceOf: (target: Target) => Service;
  readonly env: Environment;
  /** What credentials of the type `default` use on this machine. */
  readonly here: CredentialsConfig;
}

/** One line for each host: the services, STS and the metadata service, as far as they are asked. Then the proxy. */
export function networkLines({ accounts, api }: Config, context: NetworkContext): string[] {
  const { env, here, serviceOf, targets } = context;
  const hosts = accounts.flatMap(({ name, credentials, site }) => {
    const asked = servicesAsked(credentials, here);
    return [
      ...targets
        .filter(({ account }) => account === name)
        .map((target) => endpointOf(api.endpoint, site, { ...serviceOf(target), ...target }).host),
      // Which region STS is asked in may depend on the pod.
      ...(asked.includes('sts')
        ? [endpointOf(api.stsEndpoint, site, { service: 'sts', region: '*' }).host]
        : []),
      ...(asked.includes('metadata') ? [`${new URL(api.metadataEndpoint).host}  directly`] : []),
    ];
  });
  return [...new Set(hosts), proxyText(api.proxy, env)];
}

function proxyText(setting: string, env: Environment): string {
  const { hosts, problem, variables } = proxiesOf(setting, env);
  if (problem !== null) return `no request can be sent: ${problem}`;
  if (hosts.length === 0) return 'no proxy';
  const { noProxy } = variables;
  return `through the proxy ${hosts.join(' and ')}${noProxy === '' ? '' : `, but not for ${noProxy}`}`;
}

/** What is wrong with a configuration that is valid: keys that travel without encryption. */
export function networkWarnings({ accounts, api }: Pick<Config, 'accounts' | 'api'>): string[] {
  const names = accounts.filter(({ credentials }) => credentials.type !== 'none');
  if (names.length === 0) return [];
  const endpoints = { 'api.endpoint': api.endpoint, 'api.sts_endpoint': api.stsEndpoint };
  return Object.entries(endpoints)
    .filter(([, url]) => url?.startsWith('http:'))
    .map(
      ([key, url]) =>
        `${key} is ${url ?? ''}: signed requests travel without encryption; write https://`,
    );
}
