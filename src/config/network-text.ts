/** Says how the hosts of a configuration are reached. Shows no user and no password. */
import { createProxyFinder } from '../api/proxy.ts';
import { messageOf } from '../model/errors.ts';
import type { Target } from '../model/target.ts';
import type { Config, CredentialsConfig } from './config.ts';

interface NetworkContext {
  readonly targets: readonly Target[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What credentials of the type `default` use on this machine. */
  readonly here: string;
}

/** One line for each host: the service, STS and the metadata service, as far as they are asked. */
export function networkLines(
  { accounts, api }: Config,
  { env, here, targets }: NetworkContext,
): string[] {
  const types = new Set(accounts.flatMap(({ credentials }) => typesOf(credentials, here)));
  const proxyOf = createProxyFinder(api.proxy, env);
  const way = (url: URL) => {
    try {
      const proxy = proxyOf(url);
      return proxy === null ? 'directly' : `through the proxy ${proxy.host}`;
    } catch (error) {
      return `not reached: ${messageOf(error)}`;
    }
  };
  const endpoints = [
    ...targets.map(({ region }) => api.endpoint.replaceAll('{region}', region)),
    // Which region STS is asked in may depend on the pod.
    ...(types.has('tke_oidc') || types.has('assume_role')
      ? [api.stsEndpoint.replaceAll('{region}', '*')]
      : []),
  ];
  const lines = [...new Set(endpoints)].map((endpoint) => {
    const url = new URL(endpoint);
    return `${url.host}  ${way(url)}`;
  });
  return types.has('cvm_role')
    ? [...lines, `${new URL(api.metadataEndpoint).host}  directly`]
    : lines;
}

/** The types of the credentials and of all their sources. */
function typesOf(credentials: CredentialsConfig, here: string): string[] {
  const { type } = credentials;
  if (type === 'assume_role') return [type, ...typesOf(credentials.source, here)];
  return [type === 'default' ? here : type];
}
