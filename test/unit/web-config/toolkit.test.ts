/**
 * The cases of the exporter toolkit of Prometheus, with its names and its files:
 * https://github.com/prometheus/exporter-toolkit, web/tls_config_test.go and web/handler_test.go.
 */
import { readFile } from 'node:fs/promises';
import { describe, expect, it, test } from 'vitest';
import { loadWebConfig } from '../../../src/web-config/load.ts';
import { startProtected } from '../../helpers/protected-server.ts';
import {
  ask,
  replaceFile,
  toolkitFile,
  webConfigFile,
  type Client,
} from '../../helpers/toolkit-client.ts';

describe('TestYAMLFiles', () => {
  it('empty config yml', async () => {
    expect(await loadWebConfig(toolkitFile('web_config_empty.yml'))).toMatchObject({ tls: null });
  });

  it.each([
    ['path to config yml invalid', 'somefile', '1:1: the file cannot be read: '],
    ['invalid config yml (invalid structure)', 'web_config_junk.yml', '1:1: expected a map'],
    [
      'invalid config yml (invalid key)',
      'web_config_junk_key.yml',
      '2:3: tls_server_config.cert_filse: unknown key',
    ],
    [
      'invalid config yml (cert path empty)',
      'web_config_noAuth_certPath_empty.bad.yml',
      '2:3: tls_server_config: cert or cert_file is required',
    ],
    [
      'invalid config yml (cert empty)',
      'web_config_noAuth_cert_empty.bad.yml',
      '2:3: tls_server_config: cert or cert_file is required',
    ],
    [
      'invalid config yml (key path empty)',
      'web_config_noAuth_keyPath_empty.bad.yml',
      '2:3: tls_server_config: key or key_file is required',
    ],
    [
      'invalid config yml (key empty)',
      'web_config_noAuth_key_empty.bad.yml',
      '2:3: tls_server_config: key or key_file is required',
    ],
    [
      // The toolkit reports the paths first, and the type once they are right.
      'invalid config yml (cert path and key path empty)',
      'web_config_noAuth_certPath_keyPath_empty.bad.yml',
      '4:21: tls_server_config.client_auth_type: must be NoClientCert, ',
    ],
    [
      'invalid config yml (cert path invalid)',
      'web_config_noAuth_certPath_invalid.bad.yml',
      '2:14: tls_server_config.cert_file: the file cannot be read: ENOENT',
    ],
    [
      'invalid config yml (key path invalid)',
      'web_config_noAuth_keyPath_invalid.bad.yml',
      '3:13: tls_server_config.key_file: the file cannot be read: ENOENT',
    ],
    [
      'invalid config yml (cert path and key path invalid)',
      'web_config_noAuth_certPath_keyPath_invalid.bad.yml',
      '2:14: tls_server_config.cert_file: the file cannot be read: ENOENT',
    ],
    [
      'invalid config yml (invalid ClientAuth)',
      'web_config_noAuth.bad.yml',
      '4:19: tls_server_config.client_ca_file: needs a client_auth_type',
    ],
    [
      'invalid config yml (invalid ClientCAs filepath)',
      'web_config_auth_clientCAs_invalid.bad.yml',
      '4:19: tls_server_config.client_ca_file: needs a client_auth_type',
    ],
    [
      'invalid config yml (invalid user list)',
      'web_config_auth_user_list_invalid.bad.yml',
      '5:9: basic_auth_users.john: is not a bcrypt hash',
    ],
    [
      'invalid config yml (bad cipher)',
      'web_config_noAuth_inventedCiphers.bad.yml',
      '6:5: tls_server_config.cipher_suites[0]: must be one of ',
    ],
    [
      'invalid config yml (bad curves)',
      'web_config_noAuth_inventedCurves.bad.yml',
      '6:7: tls_server_config.curve_preferences[0]: must be one of ',
    ],
    [
      'invalid config yml (bad TLS version)',
      'web_config_noAuth_wrongTLSVersion.bad.yml',
      '5:16: tls_server_config.min_version: must be one of ',
    ],
    [
      'invalid X-Content-Type-Options headers config',
      'web_config_headers_content_type_options.bad.yml',
      '3:29: http_server_config.headers.X-Content-Type-Options: must be one of nosniff',
    ],
    [
      'invalid X-Frame-Options headers config',
      'web_config_headers_frame_options.bad.yml',
      '3:22: http_server_config.headers.X-Frame-Options: must be one of deny, sameorigin',
    ],
    [
      'HTTP header that can not be overridden',
      'web_config_headers_extra_header.bad.yml',
      '3:5: http_server_config.headers.Content-Type: unknown key',
    ],
  ])('%s', async (_name, name, problem) => {
    const file = toolkitFile(name);

    await expect(loadWebConfig(file)).rejects.toThrow(`${file}:${problem}`);
  });
});

/** A certificate of the test data has a key of 4,096 bits, and clients offer no more than they say. */
const tls12 = (ciphers: string): Client => ({
  tls: { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ciphers },
});

describe('TestServerBehaviour', () => {
  it.each<[string, string, Client]>([
    ['valid tls config yml and tls client', 'web_config_noAuth.good.yml', {}],
    [
      'valid tls config yml (cert and key inline) and tls client',
      'web_config_noAuth_tlsInline.good.yml',
      {},
    ],
    ['valid tls config yml with all ciphers', 'web_config_noAuth_allCiphers.good.yml', {}],
    [
      'valid tls config yml with some ciphers',
      'web_config_noAuth_someCiphers.good.yml',
      tls12('ECDHE-RSA-AES128-GCM-SHA256'),
    ],
    ['valid tls config yml with all curves', 'web_config_noAuth_allCurves.good.yml', {}],
    [
      'valid tls config yml with some curves',
      'web_config_noAuth_someCurves.good.yml',
      { tls: { ecdhCurve: 'P-521' } },
    ],
    ['valid tls config yml with non-http2 ciphers', 'web_config_noAuth_noHTTP2.good.yml', {}],
    [
      // An error in the toolkit, which would serve HTTP/2 with this file.
      'valid tls config yml with non-http2 ciphers but http2 enabled',
      'web_config_noAuth_noHTTP2Cipher.bad.yml',
      {},
    ],
    [
      'valid tls config yml and tls client with RequireAnyClientCert (present certificate)',
      'tls_config_noAuth.requireanyclientcert.good.yml',
      { certificate: 'client_selfsigned' },
    ],
    [
      'valid tls config yml (cert from file, key inline) and tls client with RequireAnyClientCert (present certificate)',
      'tls_config_noAuth.requireanyclientcertkeyinline.good.yml',
      { certificate: 'client_selfsigned' },
    ],
    [
      'valid tls config yml and tls client with RequireAndVerifyClientCert (present certificate)',
      'tls_config_noAuth.requireandverifyclientcert.good.yml',
      { certificate: 'client_selfsigned' },
    ],
    [
      'valid tls config yml and tls client with VerifyPeerCertificate (present good SAN DNS entry)',
      'web_config_auth_client_san.good.yaml',
      { certificate: 'client2_selfsigned' },
    ],
  ])('%s', async (_name, file, client) => {
    const { url } = await startProtected(toolkitFile(file));

    expect(await ask(url, client)).toMatchObject({ status: 200, body: 'fine' });
  });

  it.each<[string, string, Client, RegExp]>([
    [
      'valid tls config yml and default client',
      'web_config_noAuth.good.yml',
      { scheme: 'http' },
      /hang up|RESET/,
    ],
    [
      'empty config yml and TLS client',
      'web_config_empty.yml',
      {},
      /wrong version number|packet length too long/,
    ],
    [
      'valid tls config yml with TLS 1.1 client',
      'web_config_noAuth.good.yml',
      { tls: { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } },
      /alert protocol version/,
    ],
    [
      'valid tls config yml with no common cipher',
      'web_config_noAuth_someCiphers.good.yml',
      tls12('ECDHE-RSA-AES256-SHA'),
      /handshake failure/,
    ],
    [
      'valid tls config yml with no common curves',
      'web_config_noAuth_someCurves.good.yml',
      { tls: { ecdhCurve: 'P-384' } },
      /handshake failure/,
    ],
    [
      'valid tls config yml and tls client with VerifyPeerCertificate (present invalid SAN DNS entries)',
      'web_config_auth_client_san.bad.yaml',
      { certificate: 'client2_selfsigned' },
      /hang up|RESET/,
    ],
  ])('%s', async (_name, file, client, reason) => {
    const { url } = await startProtected(toolkitFile(file));

    await expect(ask(url, client)).rejects.toThrow(reason);
  });

  it.each([
    ['multiple client ciphers', 'web_config_noAuth_someCiphers.good.yml'],
    [
      'multiple client ciphers, client chooses cipher',
      'web_config_noAuth_someCiphers_noOrder.good.yml',
    ],
  ])('valid tls config yml with %s', async (_name, file) => {
    const { url } = await startProtected(toolkitFile(file));

    const { cipher } = await ask(
      url,
      tls12('ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384'),
    );

    expect(cipher).toBe('ECDHE-RSA-AES128-GCM-SHA256');
  });

  it('valid headers config', async () => {
    const { url } = await startProtected(toolkitFile('web_config_headers.good.yml'));

    const { headers } = await ask(url, { scheme: 'http' });

    expect(headers).toMatchObject({
      'x-frame-options': 'deny',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'x-content-type-options': 'nosniff',
      'x-xss-protection': '1',
      'content-security-policy': "default-src 'self' *.test.example.net",
    });
  });

  it.each([
    ["valid rate limiter (no rate limiter set up) that doesn't block", 'nonblocking', 200],
    ['valid rate limiter with an interval of one second', 'one_second', 429],
  ])('%s', async (_name, file, status) => {
    const { url } = await startProtected(toolkitFile(`web_config_rate_limiter_${file}.yaml`));

    for (let requests = 0; requests < 10; requests += 1) {
      expect((await ask(url, { scheme: 'http' })).status).toBe(status);
    }
  });
});

test('TestConfigReloading', async () => {
  const read = (name: string) => readFile(toolkitFile(name), 'utf8');
  const file = await webConfigFile(await read('web_config_noAuth.good.blocking.yml'));
  const { url } = await startProtected(file);
  await expect(ask(url)).rejects.toThrow(/alert|hang up|RESET/);

  await replaceFile(file, await read('web_config_noAuth.good.yml'));

  await expect.poll(() => ask(url).catch(() => null)).toMatchObject({ status: 200 });
});

describe('TestUsers', () => {
  it.each<[string, string, Client, number]>([
    ['without basic auth', 'users_noTLS', { scheme: 'http' }, 401],
    ['with correct basic auth', 'users_noTLS', { scheme: 'http', login: 'dave:dave123' }, 200],
    ['without basic auth and TLS', 'users', {}, 401],
    ['with correct basic auth and TLS', 'users', { login: 'dave:dave123' }, 200],
    ['with another correct basic auth and TLS', 'users', { login: 'carol:carol123' }, 200],
    ['with bad password and TLS', 'users', { login: 'dave:bad' }, 401],
  ])('%s', async (_name, file, client, status) => {
    const { url } = await startProtected(toolkitFile(`web_config_${file}.good.yml`));

    expect((await ask(url, client)).status).toBe(status);
  });
});

/** The users of the test data, without the one whose password takes many seconds to check. */
async function quickUsers(): Promise<string> {
  const text = await readFile(toolkitFile('web_config_users_noTLS.good.yml'), 'utf8');
  return webConfigFile(text.replace(/^ {2}bob: .*\n/m, ''));
}

const plain = { scheme: 'http' } as const;

test('TestUsers: with bad username', async () => {
  const { url } = await startProtected(await quickUsers());

  expect((await ask(url, { ...plain, login: 'nonexistent:nonexistent' })).status).toBe(401);
});

test('TestBasicAuthCache', async () => {
  const { url } = await startProtected(await quickUsers());
  const logins = ['alice:alice123', 'alice:alice1234'];

  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, i) => ask(url, { ...plain, login: logins[i % 2]! })),
  );

  expect(new Set(answers.filter((_, i) => i % 2 === 0).map(({ status }) => status))).toEqual(
    new Set([200]),
  );
  expect(new Set(answers.filter((_, i) => i % 2 === 1).map(({ status }) => status))).toEqual(
    new Set([401]),
  );
});

test('TestBasicAuthWithFakepassword', async () => {
  const { url } = await startProtected(await quickUsers());

  for (const login of [
    'fakeuser:fakepassword',
    'fakeuser:alice123',
    'fakeuser:carol123',
    'fakeuser:dave123',
  ]) {
    // With a cold cache, then with the result cached.
    expect((await ask(url, { ...plain, login })).status).toBe(401);
    expect((await ask(url, { ...plain, login })).status).toBe(401);
  }
});

test('TestByPassBasicAuthVuln', async () => {
  const { url } = await startProtected(await quickUsers());
  const alice = '$2y$12$1DpfPeqF9HzHJt.EWswy1exHluGfbhnn3yXhR7Xes6m3WJqFg0Wby';
  const fake = '$2y$10$QOauhQNbBCuQDKes6eFzPeMqBSjb7Mr5DUmpZ/VcEd00UAV/LDeSi';

  for (const login of [`alice${alice}:fakepassword`, `alice:${fake}fakepassword`]) {
    expect((await ask(url, { ...plain, login })).status).toBe(401);
  }
});
