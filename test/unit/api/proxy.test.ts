import { describe, expect, it } from 'vitest';
import { createProxyFinder } from '../../../src/api/proxy.ts';

const secure = new URL('https://cvm.tencentcloudapi.com');
const plain = new URL('http://cvm.tencentcloudapi.com');

/** The proxy of an https and of an http endpoint. */
function proxiesOf(setting: string, env: Record<string, string> = {}) {
  const find = createProxyFinder(setting, env);
  return [find(secure)?.origin ?? null, find(plain)?.origin ?? null];
}

describe('the proxy', () => {
  const [a, b] = ['http://a.example:3128', 'http://b.example:3128'];

  it.each<[string, string, Record<string, string>, (string | null)[]]>([
    ['none of an empty environment', 'environment', {}, [null, null]],
    ['that of HTTPS_PROXY for https', 'environment', { HTTPS_PROXY: a }, [a, null]],
    ['that of HTTP_PROXY for both', 'environment', { HTTP_PROXY: a }, [a, a]],
    ['of each scheme', 'environment', { HTTPS_PROXY: a, HTTP_PROXY: b }, [a, b]],
    ['first that of lower case', 'environment', { https_proxy: a, HTTPS_PROXY: b }, [a, null]],
    [
      'not an empty one',
      'environment',
      { https_proxy: '', HTTPS_PROXY: ' ', http_proxy: b },
      [b, b],
    ],
    ['without a scheme an http proxy', 'environment', { HTTP_PROXY: 'a.example:3128' }, [a, a]],
    [
      'an https proxy',
      'environment',
      { HTTPS_PROXY: 'https://a.example' },
      ['https://a.example', null],
    ],
    [
      'none for a host in NO_PROXY',
      'environment',
      { HTTP_PROXY: a, NO_PROXY: '.tencentcloudapi.com' },
      [null, null],
    ],
    [
      'none for a port in no_proxy',
      'environment',
      { HTTP_PROXY: a, no_proxy: 'tencentcloudapi.com:80' },
      [a, null],
    ],
    ['that of the configuration, for every host', b, { HTTPS_PROXY: a, NO_PROXY: '*' }, [b, b]],
    ['none if the configuration says so', 'none', { HTTPS_PROXY: a, HTTP_PROXY: a }, [null, null]],
  ])('is %s', (_what, setting, env, expected) => {
    expect(proxiesOf(setting, env)).toEqual(expected);
  });

  it.each([
    ['user:pass', 'user:pass'],
    ['user', 'user:'],
    [':pass', ':pass'],
    ['us%40er:p%3Ass', 'us@er:p:ss'],
    ['50%:100%', '50%:100%'],
  ])('with %s in its URL gets them as Basic credentials, and no address has them', (user, sent) => {
    const proxy = createProxyFinder('environment', { HTTPS_PROXY: `http://${user}@a.example:1` })(
      secure,
    );

    expect(proxy).toEqual({
      origin: 'http://a.example:1',
      host: 'a.example:1',
      authorization: `Basic ${Buffer.from(sent).toString('base64')}`,
    });
  });

  it.each(['socks5://user:pass@a.example:1080', 'http://', 'a b', 'http://user:pass@:3128'])(
    'of a variable that is no URL of a proxy (%s) fails the hosts that need it, without its value',
    (value) => {
      const find = createProxyFinder('environment', { HTTPS_PROXY: value });

      expect(() => find(secure)).toThrow(
        expect.objectContaining({
          code: 'NetworkError',
          message:
            'the environment variable HTTPS_PROXY is not the URL of an HTTP proxy, such as http://proxy.example.com:3128',
        }),
      );
      expect(find(plain)).toBeNull();
    },
  );
});
