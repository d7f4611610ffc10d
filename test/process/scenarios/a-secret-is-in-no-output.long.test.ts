/** A bad key fails with a code of the service. Keys, tokens and web tokens are in no line, page, metric, file or error. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/directories.ts';
import { accountWith, emulateAccounts, emulateRegions, key } from '../../support/emulator.ts';
import { configOf, type Daemon, run, startDaemon, watchEmulator } from '../../support/program.ts';

const secretId = 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE';
const secretKey = 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLEabcd';
const token = 'kbKDmyTSMxqPvSGkGzyFrGlSGNtoken0123456789+/abcdef==';
const env = {
  TENCENTCLOUD_SECRET_ID: secretId,
  TENCENTCLOUD_SECRET_KEY: secretKey,
  TENCENTCLOUD_TOKEN: token,
};
const account = { credentials: { type: 'environment' } };

const emulateKeyed = (known: ReturnType<typeof key>) =>
  emulateAccounts([accountWith('keyed', ['ap-guangzhou'], { keys: [known] })]);

async function everythingOf(daemon: Daemon): Promise<string> {
  const paths = [
    '/',
    '/metrics',
    '/api/v1/quotas',
    '/api/v1/targets',
    '/api/v1/changes',
    '/-/ready',
  ];
  const texts = await Promise.all(paths.map((path) => daemon.text(path)));
  await daemon.stop();
  const files = await readdir(daemon.storagePath);
  const stored = await Promise.all(
    files.map((file) => readFile(join(daemon.storagePath, file), 'utf8')),
  );
  return [...texts, ...stored, daemon.everything()].join('\n');
}

test.each([
  ['unknown', key('another', secretKey, token), 'AuthFailure.SecretIdNotFound'],
  ['wrong', key(secretId, 'another', token), 'AuthFailure.SignatureFailure'],
  ['of an ended session', key(secretId, secretKey, 'another'), 'AuthFailure.TokenFailure'],
])('A key that is %s fails with its code, and is not shown', async (_what, known, code) => {
  const emulator = await emulateKeyed(known);
  const config = configOf(emulator, { account });
  const daemon = await startDaemon({ config, env });

  const samples = await daemon.metrics();
  expect(samples.value('cvm_monitor_poll_failures_total', { code })).toBeGreaterThan(0);
  await daemon.logged('target is failing', (line) => line.code === code);
  expect(await daemon.text('/')).toContain(code);
  const check = await run('check', { config, env });
  expect(check.code).toBe(3);
  const output = (await everythingOf(daemon)) + check.stdout + check.stderr;
  for (const secret of [secretId, secretKey, token]) {
    expect(output).not.toContain(secret);
    expect(output).not.toContain(Buffer.from(secret).toString('base64').replaceAll('=', ''));
    expect(output).not.toContain(Buffer.from(secret).toString('hex'));
  }
});

test('A service that quotes the key in its message does not bring it into any output', async () => {
  const emulator = await emulateKeyed(key(secretId, secretKey, token));
  const said = [secretId, secretKey, token].flatMap((each) => [each, encodeURIComponent(each)]);
  const message = `you are ${said.join(' ')}`;
  emulator.faults.add({ effect: 'error', code: 'UnauthorizedOperation', message });
  const daemon = await watchEmulator(emulator, { account }, { env });

  expect((await daemon.metrics()).value('cvm_monitor_target_up')).toBe(0);
  const output = await everythingOf(daemon);
  expect(output).toContain('UnauthorizedOperation');
  for (const secret of said) expect(output).not.toContain(secret);
});

test('A secret that was pasted into the configuration is refused and not repeated', async () => {
  const pasted = { type: 'environment', secret_id_env: secretId, secret_key_env: secretKey };
  const config = { accounts: [{ name: 'a', credentials: pasted, regions: ['ap-guangzhou'] }] };

  for (const command of ['check-config', 'check', 'print-policy']) {
    const { code, stdout, stderr } = await run(command, { config });
    expect(code).toBeGreaterThan(0);
    expect(stdout + stderr).toContain('secret_key_env');
    expect(stdout + stderr).not.toContain(secretKey);
  }
});

test('Files with a key that cannot be read are named, without what they hold', async () => {
  const emulator = await emulateRegions('ap-guangzhou');
  const directory = await temporaryDirectory();
  const files = { secret_id_file: join(directory, 'id'), secret_key_file: join(directory, 'none') };
  await writeFile(files.secret_id_file, secretId);
  const daemon = await watchEmulator(emulator, {
    account: { credentials: { type: 'files', ...files } },
  });

  const targets = await daemon.text('/api/v1/targets');
  expect(targets).toContain('"Credentials"');
  expect(targets).toContain(files.secret_key_file);
  expect(await everythingOf(daemon)).not.toContain(secretId);
});
