/** Keys are replaced without a restart: by a reload, and in files that change. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/directories.ts';
import { configOf, startDaemon, watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const oldKey = { secretId: 'id-old', secretKey: 'key-old' };
const newKey = { secretId: 'id-new', secretKey: 'key-new' };
const env = { OLD_ID: 'id-old', OLD_KEY: 'key-old', NEW_ID: 'id-new', NEW_KEY: 'key-new' };
const from = (name: string) => ({
  type: 'environment',
  secret_id_env: `${name}_ID`,
  secret_key_env: `${name}_KEY`,
});

test('A reload that names another key is used from the next poll on, and counts no change', async () => {
  const service = await startService();
  service.account('keyed', oldKey, newKey).region('ap-guangzhou');
  const config = (name: string) => configOf(service, { account: { credentials: from(name) } });
  const daemon = await startDaemon({ config: config('OLD'), env });
  expect(new Set(service.requests.map(({ key }) => key))).toEqual(new Set(['id-old']));

  expect(await daemon.reload(config('NEW'))).toBe(200);
  const asked = service.requests.length;
  const samples = await daemon.cycle();
  await daemon.cycle();

  expect(service.requests.at(-1)!.key).toBe('id-new');
  expect(service.requests.slice(asked + 2).every(({ key }) => key === 'id-new')).toBe(true);
  expect(samples.value('cvm_monitor_target_up')).toBe(1);
  expect(await daemon.feed()).toEqual([]);
});

test('Files with a key are read again when they change', async () => {
  const service = await startService();
  const account = service.account('keyed', oldKey);
  account.region('ap-guangzhou');
  const directory = await temporaryDirectory();
  const files = { secret_id_file: join(directory, 'id'), secret_key_file: join(directory, 'key') };
  await writeFile(files.secret_id_file, 'id-old\n');
  await writeFile(files.secret_key_file, 'key-old\n');
  const daemon = await watchService(service, {
    account: { credentials: { type: 'files', ...files } },
  });
  expect((await daemon.metrics()).value('cvm_monitor_target_up')).toBe(1);

  account.keys.splice(0, 1, newKey);
  for (const [file, text] of [
    [files.secret_key_file, 'key-new\n'],
    [files.secret_id_file, 'id-new\n'],
  ] as const) {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  }

  await daemon.cycle();
  const samples = await daemon.metricsWhen((each) => each.value('cvm_monitor_target_up') === 1);
  expect(samples.value('cvm_quota_limit', { quota_type: 'image' })).toBe(10);
  expect(service.requests.at(-1)).toMatchObject({ key: 'id-new', outcome: 'ok' });
});
