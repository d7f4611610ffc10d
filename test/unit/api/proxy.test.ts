import { expect, it } from 'vitest';
import { resolveProxies } from '../../../src/api/proxy.ts';
import { rowsOf } from '../../support/rows.ts';

const none = { httpProxy: '', httpsProxy: '', noProxy: '' };

it.each(rowsOf<[string, Record<string, string>, object, string?]>('api', 'proxies'))(
  'the proxy is %s',
  (_what, env, variables, setting = 'environment') => {
    expect(resolveProxies(setting, env)).toMatchObject({
      variables: { ...none, ...variables },
      problem: null,
    });
  },
);

it.each(rowsOf<string>('api', 'no-proxies'))(
  'a variable that is no URL of a proxy (%s) is a problem, without its value',
  (value) => {
    const { problem, variables } = resolveProxies('environment', { HTTPS_PROXY: value });

    expect(variables).toEqual(none);
    expect(problem).toBe(
      'the environment variable HTTPS_PROXY is not the URL of an HTTP proxy, such as http://proxy.example.com:3128',
    );
  },
);

it('the hosts of proxies have no user and no password', () => {
  const env = { HTTPS_PROXY: 'http://u:p@a.example:1', HTTP_PROXY: 'https://b.example' };

  expect(resolveProxies('environment', env).hosts).toEqual(['a.example:1', 'b.example']);
});
