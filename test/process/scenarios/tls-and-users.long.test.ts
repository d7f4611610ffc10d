/** --web.config.file: TLS, users with passwords, certificates of clients. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { describe, expect, test } from 'vitest';
import { createAuthority } from '../../support/certificate-authority.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { configOf, run, spawnDaemon } from '../../support/program.ts';
import { hasProgram } from '../../support/programs.ts';
import { startService } from '../../support/service.ts';

const users = { prometheus: hashSync('right', 4) };
const login = (password: string) => ({
  Authorization: `Basic ${Buffer.from(`prometheus:${password}`).toString('base64')}`,
});

async function watchedWith(webConfig: unknown, flags: readonly string[] = [], directory?: string) {
  const service = await startService('ap-guangzhou');
  const file = join(directory ?? (await temporaryDirectory()), 'web.yaml');
  await writeFile(file, JSON.stringify(webConfig));
  const daemon = await spawnDaemon({
    config: configOf(service, {}),
    flags: [`--web.config.file=${file}`, ...flags],
  });
  return { daemon, url: await daemon.url(), file };
}

test('Every path asks for a user, and a wrong password is refused with 401', async () => {
  const { daemon } = await watchedWith({ basic_auth_users: users });

  for (const path of ['/', '/metrics', '/api/v1/quotas', '/-/healthy', '/-/ready']) {
    const nobody = await daemon.get(path);
    expect([path, nobody.status]).toEqual([path, 401]);
    expect(nobody.headers.get('www-authenticate')).toContain('Basic');
    expect((await daemon.get(path, { headers: login('wrong') })).status).toBe(401);
  }
  expect((await daemon.get('/metrics', { headers: login('right') })).status).toBe(200);
  expect((await daemon.get('/-/reload', { method: 'POST' })).status).toBe(401);
});

test('Health stays open when asked for, and nothing else does', async () => {
  const { daemon } = await watchedWith({ basic_auth_users: users }, ['--web.enable-open-health']);

  expect((await daemon.get('/-/healthy')).status).toBe(200);
  expect((await daemon.get('/-/ready')).status).not.toBe(401);
  expect((await daemon.get('/metrics')).status).toBe(401);
  expect((await daemon.get('/-/reload', { method: 'POST' })).status).toBe(401);
});

test('A user that is added to the file may read without a restart, and still when the file breaks', async () => {
  const { daemon, file } = await watchedWith({ basic_auth_users: { other: users.prometheus } });
  expect((await daemon.get('/metrics', { headers: login('right') })).status).toBe(401);

  await writeFile(file, JSON.stringify({ basic_auth_users: users }));
  await daemon.logged('web configuration reloaded');
  expect((await daemon.get('/-/healthy', { headers: login('right') })).status).toBe(200);

  await writeFile(file, 'basic_auth_users: { dave: dave123 }');
  const { reason } = await daemon.logged(
    'web configuration not reloaded; the one before stays in force',
  );
  expect(reason).toContain(`${file}:1:27: basic_auth_users.dave: is not a bcrypt`);
  const metrics = await daemon.get('/metrics', { headers: login('right') });
  expect(await metrics.text()).toMatch(/^cvm_monitor_web_config_last_reload_successful 0$/m);
});

test.each([
  ['an unknown key', 'basic_auth_user: {}\n', '1:1'],
  ['a password that is no hash', 'basic_auth_users:\n  prometheus: right\n', '2:'],
  ['a certificate that is not there', 'tls_server_config:\n  cert_file: a\n  key_file: b\n', 'a'],
])(
  '%s is an error with its place, for check-web-config and at the start',
  async (_what, text, word) => {
    const file = join(await temporaryDirectory(), 'web.yaml');
    await writeFile(file, text);

    const { code, stdout, stderr } = await run('check-web-config', { flags: [file] });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(word);
    expect(stdout + stderr).not.toContain(': right');
    const daemon = await spawnDaemon({
      config: configOf({ url: 'http://127.0.0.1:9' }, {}),
      flags: [`--web.config.file=${file}`],
    });
    expect(await daemon.exited).toEqual({ code: 1, signal: null });
    expect(daemon.output).toContain(word);
  },
);

describe.runIf(hasProgram('openssl', 'openssl'))('TLS', () => {
  test('With a certificate, the daemon speaks TLS, and a client certificate is needed when asked for', async () => {
    const authority = await createAuthority();
    authority.issue('server', 'serverAuth', 'DNS:localhost,IP:127.0.0.1');
    authority.issue('client', 'clientAuth', 'DNS:prometheus');
    const read = (name: string) => readFileSync(join(authority.directory, name));
    const tls = {
      cert_file: 'server.crt',
      key_file: 'server.key',
      client_auth_type: 'RequireAndVerifyClientCert',
      client_ca_file: 'authority.crt',
    };
    const { url } = await watchedWith({ tls_server_config: tls }, [], authority.directory);
    expect(url).toMatch(/^https:/);

    const ask = (options: RequestOptions) =>
      new Promise<number | string>((resolve) => {
        request(`${url}/-/healthy`, { ca: read('authority.crt'), ...options }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
          .on('error', () => {
            resolve('refused');
          })
          .end();
      });
    const client = { cert: read('client.crt'), key: read('client.key') };
    expect(await ask(client)).toBe(200);
    expect(await ask({})).toBe('refused');
    expect(await ask({ ...client, ca: [] })).toBe('refused');
    const stranger = await temporaryDirectory();
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
        ...['-subj', '/CN=stranger', '-keyout', 'k', '-out', 'c'],
      ],
      { cwd: stranger, stdio: 'ignore' },
    );
    const foreign = {
      cert: readFileSync(join(stranger, 'c')),
      key: readFileSync(join(stranger, 'k')),
    };
    expect(await ask(foreign)).toBe('refused');
  });
});
