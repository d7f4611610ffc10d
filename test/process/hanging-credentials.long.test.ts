import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDaemon } from '../support/daemon-process.ts';
import { temporaryDirectory } from '../support/directories.ts';
import { namedPipe } from '../support/named-pipe.ts';
import { startPlainService } from '../support/plain-service.ts';

test('an account is polled and stored while the credentials files of others hang', async () => {
  const service = await startPlainService();
  const limitTo = (TotalQuota: number) =>
    service.quotas.set('ap-x', { ImageQuotaSet: [{ UsedQuota: 1, TotalQuota }] });
  limitTo(10);
  const files = join(await temporaryDirectory(), 'secret');
  const hanging = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const [id, key] = [`${files}-${name}-id`, `${files}-${name}-key`];
      await Promise.all([namedPipe(id), namedPipe(key)]);
      const credentials = { type: 'files' as const, secret_id_file: id, secret_key_file: key };
      return { name, credentials, regions: ['ap-x'] };
    }),
  );
  const daemon = await startDaemon({
    config: {
      poll: { schedule: '*/1 * * * * *' },
      // A name: to look it up takes a thread.
      api: { endpoint: service.url.replace('127.0.0.1', 'localhost'), timeout: '3s' },
      accounts: [
        ...hanging,
        { name: 'c', credentials: { type: 'environment' }, regions: ['ap-x'] },
      ],
    },
    env: { TENCENTCLOUD_SECRET_ID: 'id', TENCENTCLOUD_SECRET_KEY: 'key' },
  });
  await daemon.ready();

  const samples = await daemon.metrics();
  const [up, ...down] = ['c', 'a', 'b'].map((account) =>
    samples.value('cvm_monitor_target_up', { account }),
  );

  expect(up).toBe(1);
  expect(down).toEqual([0, 0]);

  // A counter is shown when it is stored.
  limitTo(20);
  const later = await daemon.metricsWhen((each) => each.sum('cvm_quota_limit_changes_total') > 0);
  expect(later.value('cvm_monitor_state_write_failures_total')).toBe(0);
});

test('an account whose files hang delays no other account with files, from the start on', async () => {
  const service = await startPlainService();
  const directory = await temporaryDirectory();
  const credentialsOf = (name: string) => ({
    type: 'files' as const,
    secret_id_file: join(directory, `${name}-id`),
    secret_key_file: join(directory, `${name}-key`),
  });
  await namedPipe(credentialsOf('a').secret_id_file);
  for (const file of ['b-id', 'b-key']) await writeFile(join(directory, file), 'text');
  const daemon = await startDaemon({
    config: {
      poll: { schedule: '*/1 * * * * *' },
      api: { endpoint: service.url },
      accounts: ['a', 'b'].map((name) => {
        return { name, credentials: credentialsOf(name), regions: ['ap-x'] };
      }),
    },
  });

  const samples = await daemon.metricsWhen(
    (each) => each.value('cvm_monitor_polls_total', { account: 'b' })! >= 3,
  );

  expect(samples.value('cvm_monitor_target_up', { account: 'b' })).toBe(1);
  expect(samples.matching('cvm_monitor_poll_failures_total', { account: 'b' })).toEqual([]);
  const later = await daemon.metricsWhen(
    (each) => each.value('cvm_monitor_poll_failures_total', { account: 'a' })! >= 3,
  );
  expect(later.matching('cvm_monitor_poll_failures_total', { account: 'b' })).toEqual([]);
});

test('calls for credentials, the web configuration and records keep three threads together', async () => {
  const service = await startPlainService();
  const directory = await temporaryDirectory();
  const hanging = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const file = join(directory, name);
      await namedPipe(file);
      const credentials = { type: 'files' as const, secret_id_file: file, secret_key_file: file };
      return { name, credentials, regions: ['ap-x'] };
    }),
  );
  const limitTo = (TotalQuota: number) =>
    service.quotas.set('ap-x', { ImageQuotaSet: [{ UsedQuota: 1, TotalQuota }] });
  limitTo(10);
  const webConfig = join(directory, 'web.yaml');
  await writeFile(webConfig, '{}');
  const others = { name: 'c', credentials: { type: 'none' as const }, regions: ['ap-x'] };
  const daemon = await startDaemon({
    config: {
      poll: { schedule: '*/1 * * * * *' },
      api: { endpoint: service.url },
      accounts: [...hanging, others],
    },
    flags: [`--web.config.file=${webConfig}`],
  });
  await daemon.ready();

  await namedPipe(webConfig);
  await daemon.logged('web configuration not reloaded; the one before stays in force');
  limitTo(20);

  const failures = async () =>
    (await daemon.metrics()).value('cvm_monitor_state_write_failures_total');
  await expect.poll(failures).toBeGreaterThan(0);
  const { reason } = await daemon.logged(
    'records cannot be stored; polling goes on, changes are counted later',
  );
  expect(reason).toContain('not tried');
});
