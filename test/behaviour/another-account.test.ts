/** Another account behind the same name, by keys that were exchanged. */
import { expect, test } from 'vitest';
import { recordingLogger } from '../support/loggers.ts';
import { accountOf, startMonitor } from '../support/monitor.ts';

const account = (name: string, app_id: number, limit: number) => ({
  name,
  app_id,
  keys: [{ secret_id: `${name}-id`, secret_key: 'key' }],
  regions: [
    {
      name: 'ap-x',
      zones: [{ name: 'ap-x-1', postpaid: { limit } }],
      launch_templates: [{ id: `lt-0000000${app_id}`, versions: [1], default_version: 1 }],
    },
  ],
});
const scenario = { accounts: [account('first', 1, 200), account('second', 2, 50)] };
const keysOf = (name: string) => ({
  TENCENTCLOUD_SECRET_ID: `${name}-id`,
  TENCENTCLOUD_SECRET_KEY: 'key',
});

test('another account behind a name is a new baseline, no change, and one line of the log', async () => {
  const env = keysOf('first');
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

  Object.assign(env, keysOf('second'));
  await monitor.cycle();
  await monitor.cycle();

  expect(await monitor.json('/api/v1/quotas')).toMatchObject({ quotas: [{ limit: 50 }] });
  expect(await monitor.json('/api/v1/changes')).toMatchObject({ changes: [] });
  const said = lines.filter(({ message }) => message.startsWith('another account'));
  expect(said).toMatchObject([{ fields: { old_app_id: 1, new_app_id: 2 } }]);
});

test('of the launch templates of another account nothing is guessed: a list is replaced, and a named one fails', async () => {
  const env = keysOf('first');
  const watching = (name: string, launch_templates: 'all' | string[]) => ({
    ...accountOf(name, [{ name: 'ap-x', launch_templates }]),
    credentials: { type: 'environment' as const },
    quota_types: [],
  });
  const monitor = await startMonitor({
    scenario,
    env,
    config: ({ endpoint }) => ({
      api: { endpoint, max_attempts: 1 },
      accounts: [watching('all', 'all'), watching('named', ['lt-00000001'])],
    }),
  });

  Object.assign(env, keysOf('second'));
  await monitor.cycle();
  await monitor.cycle();

  expect(await monitor.feed()).toEqual(['list-replaced 1 → 1']);
  expect(await monitor.json('/api/v1/targets?account=named')).toMatchObject({
    targets: [{ template_id: 'lt-00000001', up: false, failure: { code: expect.any(String) } }],
  });
});
