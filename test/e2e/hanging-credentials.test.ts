import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDaemon } from '../helpers/daemon-process.ts';
import { temporaryDirectory } from '../helpers/directories.ts';
import { namedPipe } from '../helpers/named-pipe.ts';
import { startPlainService } from '../helpers/plain-service.ts';

test('an account is polled and stored while the credentials files of others hang', async () => {
  const service = await startPlainService();
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
  expect(samples.value('cvm_monitor_state_write_failures_total')).toBe(0);
  await expect.poll(() => readdir(daemon.storagePath)).toHaveLength(4);
});
