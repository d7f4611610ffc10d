import { expect, it } from 'vitest';
import { resolveProxies } from '../../../src/api/proxy.ts';

const none = { httpProxy: '', httpsProxy: '', noProxy: '' };
const [a, b] = ['http://a.example:3128', 'http://b.example:3128'];

it.each<[string, Record<string, string>, object, string?]>([
  ['none in an empty environment', {}, {}],
  ['of each scheme', { HTTPS_PROXY: a, HTTP_PROXY: b }, { httpsProxy: a, httpProxy: b }],
  ['first that of lower case', { https_proxy: a, HTTPS_PROXY: b }, { httpsProxy: a }],
  ['not an empty one', { https_proxy: '', HTTPS_PROXY: ' ', http_proxy: b }, { httpProxy: b }],
  ['an http proxy without a scheme', { HTTP_PROXY: 'a.example:3128' }, { httpProxy: a }],
  ['with its user and password', { HTTP_PROXY: 'http://u:p@a' }, { httpProxy: 'http://u:p@a' }],
  ['not for the hosts in NO_PROXY', { NO_PROXY: '.example' }, { noProxy: '.example' }],
  ['of the configuration', { HTTPS_PROXY: a, NO_PROXY: '*' }, { httpProxy: b, httpsProxy: b }, b],
  ['none if the configuration says so', { HTTPS_PROXY: a, HTTP_PROXY: a }, {}, 'none'],
])('the proxy is %s', (_what, env, variables, setting = 'environment') => {
  expect(resolveProxies(setting, env)).toMatchObject({
    variables: { ...none, ...variables },
    problem: null,
  });
});

it.each([
  'socks5://user:pass@a.example:1080',
  'http://',
  'a b',
  'http://user:pass@:3128',
  'http://user:100%@a.example',
])('a variable that is no URL of a proxy (%s) is a problem, without its value', (value) => {
  const { problem, variables } = resolveProxies('environment', { HTTPS_PROXY: value });

  expect(variables).toEqual(none);
  expect(problem).toBe(
    'the environment variable HTTPS_PROXY is not the URL of an HTTP proxy, such as http://proxy.example.com:3128',
  );
});

it('the hosts of proxies have no user and no password', () => {
  const env = { HTTPS_PROXY: 'http://u:p@a.example:1', HTTP_PROXY: 'https://b.example' };

  expect(resolveProxies('environment', env).hosts).toEqual(['a.example:1', 'b.example']);
});
