import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../support/command-line.ts';
import { startDaemon } from '../../support/daemon-process.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { ask, replaceFile, toolkitFile, webConfigFile } from '../../support/toolkit-client.ts';

const config = {
  api: { endpoint: 'http://127.0.0.1:9' },
  accounts: [{ name: 'a', credentials: { type: 'none' as const }, regions: ['ap-x'] }],
};

describe('check-web-config', () => {
  it('says which files are valid', async () => {
    const files = ['web_config_empty.yml', 'web_config_users.good.yml'].map(toolkitFile);

    const { code, stdout, stderr } = await runCommand('check-web-config', ...files);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(files.map((file) => `${file}: valid\n`).join(''));
  });

  it('exits 1 with every mistake, and checks the files after it', async () => {
    const bad = toolkitFile('web_config_noAuth_certPath_keyPath_invalid.bad.yml');
    const good = toolkitFile('web_config_users.good.yml');

    const { code, stdout, stderr } = await runCommand('check-web-config', bad, good);

    expect(code).toBe(1);
    expect(stderr).toMatch(/:2:14: tls_server_config\.cert_file: .*\n.*:3:13: .*key_file: .*\n/);
    expect(stdout).toBe(`${good}: valid\n`);
  });

  it('needs a file', async () => {
    const { code, stderr } = await runCommand('check-web-config');

    expect(code).toBe(1);
    expect(stderr).toContain("missing required argument 'file'");
  });
});

describe('serve', () => {
  it('does not start with a bad web configuration', async () => {
    const directory = await temporaryDirectory();
    const file = join(directory, 'config.yaml');
    await writeFile(file, JSON.stringify(config));
    const bad = toolkitFile('web_config_junk_key.yml');

    const { code, stderr } = await runCommand(
      'serve',
      `--config.file=${file}`,
      `--storage.path=${directory}/data`,
      `--web.config.file=${bad}`,
    );

    expect(code).toBe(1);
    expect(stderr).toContain(`${bad}:2:3: tls_server_config.cert_filse: unknown key`);
  });

  it('serves HTTPS to its users alone, on every address', async () => {
    const daemon = await startDaemon({
      config,
      flags: [
        '--web.listen-address=127.0.0.1:0',
        `--web.config.file=${toolkitFile('web_config_users.good.yml')}`,
      ],
    });
    const first = await daemon.logged('serving');
    const second = await daemon.logged('serving', (line) => line !== first);

    for (const url of [String(first.url), String(second.url)]) {
      expect(url).toMatch(/^https:/);
      expect((await ask(url, { path: '/-/healthy' })).status).toBe(401);
      const login = { path: '/metrics', login: 'carol:carol123' };
      const { status, body } = await ask(url, login);
      expect(status).toBe(200);
      expect(body).toMatch(/^cvm_monitor_web_config_last_reload_successful 1$/m);
      expect((await ask(url, { ...login, login: 'carol:dave123' })).status).toBe(401);
    }
  });

  it('answers probes without a user with --web.enable-open-health', async () => {
    const daemon = await startDaemon({
      config,
      flags: [
        '--web.enable-open-health',
        `--web.config.file=${toolkitFile('web_config_users_noTLS.good.yml')}`,
      ],
    });

    expect((await daemon.get('/-/healthy')).status).toBe(200);
    expect((await daemon.get('/-/ready')).status).not.toBe(401);
    expect((await daemon.get('/metrics')).status).toBe(401);
  });

  it('takes new users without a restart, and keeps them when the file breaks', async () => {
    const file = await webConfigFile('');
    const daemon = await startDaemon({ config, flags: [`--web.config.file=${file}`] });
    await daemon.ready();
    expect((await daemon.get('/metrics')).status).toBe(200);

    await replaceFile(
      file,
      'basic_auth_users: { dave: $2y$10$2UXri9cIDdgeKjBo4Rlpx.U3ZLDV8X1IxKmsfOvhcM5oXQt/mLmXq }',
    );
    await daemon.logged('web configuration reloaded');

    expect((await daemon.get('/metrics')).status).toBe(401);
    await replaceFile(file, 'basic_auth_users: { dave: dave123 }');
    const { reason } = await daemon.logged(
      'web configuration not reloaded; the one before stays in force',
    );
    expect(reason).toContain(
      `${dirname(file)}/web.yml:1:27: basic_auth_users.dave: is not a bcrypt`,
    );
    const { body } = await ask(await daemon.serving(), {
      scheme: 'http',
      path: '/metrics',
      login: 'dave:dave123',
    });
    expect(body).toMatch(/^cvm_monitor_web_config_last_reload_successful 0$/m);
  });

  it.each(['unix:/run/web.sock', '/run/web.sock', 'vsock://:10042'])(
    'refuses to listen on what is no TCP address: %s',
    async (address) => {
      const { code, stderr } = await runCommand(
        'serve',
        '--config.file=none',
        `--web.listen-address=${address}`,
      );

      expect(code).toBe(1);
      expect(stderr).toContain('Only TCP is served. Expected HOST:PORT or :PORT.');
    },
  );
});
