import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadWebConfig } from '../../../src/web-config/load.ts';
import { hasProgram } from '../../helpers/programs.ts';
import { webConfigFile } from '../../helpers/toolkit-client.ts';

const tls = (keys: string) =>
  `tls_server_config: { cert_file: server.crt, key_file: server.key, ${keys} }\n`;
const hash = `$2y$10$${'a'.repeat(53)}`;

describe('a file with a mistake', () => {
  it.each([
    ['tls_server_config: { min_version: TLS13 }', '1:20: tls_server_config: cert or cert_file'],
    [tls('cert: x'), '1:73: tls_server_config.cert: write either cert or cert_file'],
    [tls('client_allowed_sans: [a]'), '1:88: tls_server_config.client_allowed_sans: needs a'],
    [
      tls('client_auth_type: NoClientCert, client_ca: x'),
      '1:110: tls_server_config.client_ca: needs a client_auth_type',
    ],
    [tls('max_version: TLS11'), '1:80: tls_server_config.max_version: min_version (TLS12'],
    [
      tls('client_auth_type: RequestClientCert, client_ca_file: server.key'),
      '1:120: tls_server_config.client_ca_file: is not a certificate in PEM',
    ],
    [
      'tls_server_config: { cert_file: server.key, key_file: server.crt }',
      '1:33: tls_server_config.cert_file: is not a certificate in PEM',
    ],
    [
      'tls_server_config: { cert_file: server.key, key_file: server.crt }',
      '1:55: tls_server_config.key_file: is not a private key in PEM',
    ],
    [
      'tls_server_config: { cert_file: server.crt, key_file: client_selfsigned.key }',
      '1:55: tls_server_config.key_file: is not the key of the certificate',
    ],
    ['http_server_config: { http2: true }', '1:30: http_server_config.http2: HTTP/2 is not served'],
    [
      'http_server_config: { headers: { Content-Security-Policy: "a\\nb" } }',
      '1:59: http_server_config.headers.Content-Security-Policy: has a character',
    ],
    [
      'rate_limit: { interval: 1 }',
      '1:25: rate_limit.interval: expected a duration such as 500ms, 1s or 1m30s',
    ],
    ['rate_limit: { interval: 1x }', '1:25: rate_limit.interval: expected a duration'],
    ['rate_limit: { burst: -1 }', '1:22: rate_limit.burst: must be at least 0'],
    ['rate_limits: {}', '1:1: rate_limits: unknown key; did you mean rate_limit?'],
    [`basic_auth_users: { a: ${hash.replace('10', '19')} }`, '1:24: basic_auth_users.a: is not'],
    [`basic_auth_users: { a: ${hash.replace('10', '03')} }`, '1:24: basic_auth_users.a: is not'],
    [`basic_auth_users: { a: ${hash.replace('y', 'x')} }`, '1:24: basic_auth_users.a: is not'],
  ])('is refused with line and column: %s', async (text, problem) => {
    const file = await webConfigFile(text);

    await expect(loadWebConfig(file)).rejects.toThrow(`${file}:${problem}`);
  });

  it('is refused without a word of its secrets', async () => {
    const file = await webConfigFile(
      'tls_server_config: { cert_file: server.crt, key: geheim1 }\nbasic_auth_users: { a: geheim2 }',
    );

    const error: unknown = await loadWebConfig(file).catch((thrown: unknown) => thrown);

    expect(String(error)).toMatch(/basic_auth_users\.a/);
    expect(String(error)).not.toContain('geheim');
  });

  it.runIf(hasProgram('openssl', 'openssl'))(
    'is refused if its key needs a passphrase',
    async () => {
      const file = await webConfigFile(
        'tls_server_config: { cert_file: server.crt, key_file: locked.key }',
      );
      const args = ['genrsa', '-aes256', '-passout', 'pass:abcd', '-out', 'locked.key', '2048'];
      execFileSync('openssl', args, { cwd: dirname(file), stdio: 'ignore' });

      await expect(loadWebConfig(file)).rejects.toThrow('is not a private key in PEM without');
    },
  );
});

describe('a valid file', () => {
  it.each([
    ['rate_limit: { interval: 1m30s, burst: 2 }', { intervalMs: 90_000, burst: 2 }],
    ['rate_limit: { interval: 1.5s }', { intervalMs: 1_500, burst: 0 }],
    ['rate_limit: { interval: 500us }', { intervalMs: 0.5, burst: 0 }],
    ['rate_limit: { burst: 5 }', null],
    ['rate_limit: { interval: 0s }', null],
  ])('limits requests as Go reads its durations: %s', async (text, rateLimit) => {
    expect(await loadWebConfig(await webConfigFile(text))).toMatchObject({ rateLimit });
  });

  it('has empty sections, and leaves out blank headers', async () => {
    const file = await webConfigFile(`
tls_server_config:
http_server_config:
  http2: false
  headers: { Content-Security-Policy: '' }
basic_auth_users:
rate_limit:
`);

    expect(await loadWebConfig(file)).toEqual({
      tls: null,
      headers: new Map(),
      users: new Map(),
      rateLimit: null,
    });
  });

  it('may name files by absolute paths, and have users of any name', async () => {
    const file = await webConfigFile('');
    const absolute = (name: string) => JSON.stringify(join(dirname(file), name));
    await writeFile(
      file,
      `tls_server_config: { cert_file: ${absolute('server.crt')}, key_file: ${absolute('server.key')} }
basic_auth_users: { 1: ${hash}, constructor: ${hash} }`,
    );

    expect([...(await loadWebConfig(file)).users.keys()]).toEqual(['1', 'constructor']);
  });
});
