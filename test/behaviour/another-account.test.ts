/** Another account behind the same name, by keys that were exchanged. */
import { expect, test } from 'vitest';
import { recordingLogger } from '../support/loggers.ts';
import { accountOf, startMonitor } from '../support/monitor.ts';

const account = (name: string, app_id: number, limit: number) => ({
  name,
  app_id,
  keys: [{ secret_id: `${name}-id`, secret_key: 'key' }],
  regions: [{ name: 'ap-x', zones: [{ name: 'ap-x-1', postpaid: { limit } }] }],
});

test('another account behind a name is a new baseline, no change, and one line of the log', async () => {
  const scenario = { accounts: [account('first', 1, 200), account('second', 2, 50)] };
  const env = { TENCENTCLOUD_SECRET_ID: 'first-id', TENCENTCLOUD_SECRET_KEY: 'key' };
  const { lines, logger } = recordingLogger();
  const monitor = await startMonitor({
    scenario,
    env,
    logger,
    config: ({ endpoint }) => ({
      api: { endpoint, max_attempts: 1 },
      accounts: [{ ...accountOf('a', ['ap-x']), credentials: { type: 'environment' } }],
    }),
  });

  env.TENCENTCLOUD_SECRET_ID = 'second-id';
  await monitor.cycle();
  await monitor.cycle();

  expect(await monitor.json('/api/v1/quotas')).toMatchObject({ quotas: [{ limit: 50 }] });
  expect(await monitor.json('/api/v1/changes')).toMatchObject({ changes: [] });
  const said = lines.filter(({ message }) => message.startsWith('another account'));
  expect(said).toMatchObject([{ fields: { old_app_id: 1, new_app_id: 2 } }]);
});
