/** Warns about keys that travel without encryption. */
import type { Config } from './config.ts';

/** What is wrong with a configuration that is valid. */
export function networkWarnings({ accounts, api }: Pick<Config, 'accounts' | 'api'>): string[] {
  if (accounts.every(({ credentials }) => credentials.type === 'none')) return [];
  const endpoints = { 'api.endpoint': api.endpoint, 'api.sts_endpoint': api.stsEndpoint };
  return Object.entries(endpoints).flatMap(([key, url]) =>
    url?.startsWith('http:')
      ? [`${key} is ${url}: signed requests travel without encryption; write https://`]
      : [],
  );
}
