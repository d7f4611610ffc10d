import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/directories.ts';
import {
  accountWith,
  emulateAccounts,
  emulateRegions,
  key,
  setLimit,
} from '../support/emulator.ts';
import { namedPipe } from '../support/named-pipe.ts';
import { configOf, preload, spawnDaemon, startDaemon } from '../support/program.ts';

const region = 'ap-guangzhou';
const nodeFlags = [preload('hanging-pipes')];

/** An account whose credentials are in files of a directory. */
const withFiles = (name: string, directory: string) => ({
  name,
  credentials: {
    type: 'files',
    secret_id_file: join(directory, `${name}-id`),
    secret_key_file: join(directory, `${name}-key`),
  },
  regions: [region],
});

test('an account whose files hang delays no other account with files, neither its polls nor its records, from the start on', async () => {
  const keys = [key('id', 'key')];
  const emulator = await emulateAccounts([accountWith('keyed', [region], { keys })]);
  const directory = await temporaryDirectory();
  await namedPipe(join(directory, 'a-id'));
  await writeFile(join(directory, 'b-id'), 'id');
  await writeFile(join(directory, 'b-key'), 'key');
  const daemon = await spawnDaemon({
    config: configOf(emulator, { accounts: ['a', 'b'].map((name) => withFiles(name, directory)) }),
    nodeFlags,
  });

  const polls = 'cvm_monitor_polls_total';
  const samples = await daemon.metricsWhen((each) => each.value(polls, { account: 'b' })! >= 3);

  expect(samples.value('cvm_monitor_target_up', { account: 'b' })).toBe(1);
  const failures = 'cvm_monitor_poll_failures_total';
  const later = await daemon.metricsWhen((each) => each.value(failures, { account: 'a' })! >= 3);
  expect(later.matching(failures, { account: 'b' })).toEqual([]);
  // A counter is shown when it is stored.
  emulator.do(setLimit('image', 20));
  await daemon.metricsWhen((each) => each.sum('cvm_quota_limit_changes_total') > 0);
});

test('calls for credentials, the web configuration and records keep three threads together', async () => {
  const emulator = await emulateRegions(region);
  const directory = await temporaryDirectory();
  // Two accounts whose files hang, and one that needs none.
  const hanging = ['a', 'b'].map((name) => withFiles(name, directory));
  for (const { credentials } of hanging) {
    await namedPipe(credentials.secret_id_file);
    await namedPipe(credentials.secret_key_file);
  }
  const open = { name: 'c', credentials: { type: 'none' }, regions: [region] };
  // A name: to look it up takes a thread.
  const api = { endpoint: emulator.url.replace('127.0.0.1', 'localhost'), timeout: '3s' };
  const config = configOf(emulator, { api, accounts: [...hanging, open] });
  const webConfig = join(directory, 'web.yaml');
  await writeFile(webConfig, '{}');
  const daemon = await startDaemon({
    config,
    flags: [`--web.config.file=${webConfig}`],
    nodeFlags,
  });

  await namedPipe(webConfig);
  await daemon.logged('web configuration not reloaded; the one before stays in force');
  emulator.do(setLimit('image', 20, region));

  await daemon.metricsWhen((each) => each.value('cvm_monitor_state_write_failures_total')! > 0);
  const { reason } = await daemon.logged(
    'records cannot be stored; polling goes on, changes are counted later',
  );
  expect(reason).toContain('not tried');
});
