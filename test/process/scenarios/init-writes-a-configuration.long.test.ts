/** `init` without a terminal: it writes a file that works, overwrites none, and holds no secret. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/directories.ts';
import { run } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const env = { TENCENTCLOUD_SECRET_ID: 'AKIDexample', TENCENTCLOUD_SECRET_KEY: 'secret-example' };

async function setUp() {
  const service = await startService();
  const account = service.account('keyed', {
    secretId: 'AKIDexample',
    secretKey: 'secret-example',
  });
  account.region('ap-guangzhou').createTemplate('lt-b8v1kcyq', { versions: [1], default: 1 });
  account.region('ap-shanghai');
  const directory = await temporaryDirectory();
  const init = (...flags: readonly string[]) =>
    run('init', { flags: [`--endpoint=${service.url}`, ...flags], env, directory });
  return { init, service, file: join(directory, 'config.yaml'), directory };
}

const usual = ['--credentials=environment', '--region=ap-guangzhou'];

test('init writes a file that check-config and check accept, without the key', async () => {
  const { init, file, directory } = await setUp();

  const { code, stdout } = await init(...usual, '--launch-template=lt-b8v1kcyq');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^FINE/m);
  const text = await readFile(file, 'utf8');
  expect(text).toContain('lt-b8v1kcyq');
  expect(text).not.toContain('AKIDexample');
  expect(text).not.toContain('secret-example');
  const flags = ['--config.file=config.yaml'];
  expect((await run('check-config', { flags, directory, env })).code).toBe(0);
  expect((await run('check', { flags, directory, env })).code).toBe(0);
});

test('init never overwrites a file', async () => {
  const { init, file } = await setUp();
  await writeFile(file, 'of someone else');

  const { code } = await init(...usual);
  expect(code).toBeGreaterThan(0);
  expect(await readFile(file, 'utf8')).toBe('of someone else');
});

test('Without a terminal, init names the flags that are missing, and writes nothing', async () => {
  const { init, file } = await setUp();

  const { code, stderr } = await init('--credentials=environment');
  expect(code).toBeGreaterThan(0);
  expect(stderr).toContain('--region');
  await expect(readFile(file)).rejects.toThrow('ENOENT');
});

test('init writes nothing when the service refuses the key', async () => {
  const { init, service, file } = await setUp();
  service.fault({ error: 'AuthFailure.SignatureFailure' });

  expect((await init(...usual)).code).toBe(3);
  await expect(readFile(file)).rejects.toThrow('ENOENT');
});
