/** Warns about keys that travel without encryption. */
import type { Config } from './config.ts';
import { rowOf } from './credentials-types.ts';

/** What is wrong with a configuration that is valid. */
export function networkWarnings({ accounts, api }: Pick<Config, 'accounts' | 'api'>): string[] {
  const signed = accounts.filter(({ credentials }) => credentials.type !== 'none');
  const asksSts = signed.some(({ credentials }) => rowOf(credentials).asks?.includes('sts'));
  const endpoints = {
    'api.endpoint': signed.length > 0 && api.endpoint,
    'api.sts_endpoint': asksSts && api.stsEndpoint,
  };
  return Object.entries(endpoints).flatMap(([key, url]) =>
    url && url.startsWith('http:')
      ? [`${key} is ${url}: signed requests travel without encryption; write https://`]
      : [],
  );
}
