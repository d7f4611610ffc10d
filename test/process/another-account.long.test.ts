/** Another account behind the same name, by keys that were exchanged: quotas begin a new baseline. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startEmulator, type ScenarioInput } from '../../src/emulator/emulator.ts';
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts';
import { temporaryDirectory } from '../support/directories.ts';

const account = (name: string, appId: number, limit: number) => ({
  name,
  app_id: appId,
  keys: [{ secret_id: `${name}-id`, secret_key: `${name}-key` }],
  regions: [
    {
      name: 'ap-guangzhou',
      zones: [
        { name: 'ap-guangzhou-3', postpaid: { used: 1, limit }, spotpaid: { used: 1, limit } },
      ],
    },
  ],
});

/** Two limits of the second account are lower. */
const scenario: ScenarioInput = {
  accounts: [account('first', 1, 100), account('second', 2, 50)],
};

/** Emulator and daemon, whose account reads its keys from files. */
async function start() {
  const emulator = await startEmulator({ scenario });
  onTestFinished(emulator.close);
  const directory = await temporaryDirectory();
  const secret_id_file = join(directory, 'id');
  const secret_key_file = join(directory, 'key');
  const useKeysOf = async (name: string) => {
    await writeFile(secret_id_file, `${name}-id`);
    await writeFile(secret_key_file, `${name}-key`);
  };
  await useKeysOf('first');
  const options = {
    directory,
    config: {
      poll: { schedule: '* * * * * *', stale_after: '1h' },
      api: { endpoint: emulator.url },
      accounts: [
        {
          name: 'production',
          credentials: { type: 'files' as const, secret_id_file, secret_key_file },
          regions: ['ap-guangzhou'],
        },
      ],
    },
  };
  const daemon = await startDaemon(options);
  await daemon.metricsWhen((samples) => samples.sum('cvm_quota_limit') >= 200);
  await daemon.ready();
  return { daemon, options, useKeysOf };
}

/** Waits until the target shows the second account; tells what was counted and said of it. */
async function findings(daemon: DaemonProcess) {
  const samples = await daemon.metricsWhen(
    (each) => each.value('cvm_quota_limit', { quota_type: 'postpaid' }) === 50,
  );
  const { changes } = (await (await daemon.get('/api/v1/changes')).json()) as {
    changes: unknown[];
  };
  return {
    lowered: samples.sum('cvm_quota_limit_changes_total'),
    changes,
    lines: daemon.log
      .filter(({ msg }) => msg === 'another account: the target begins a new baseline')
      .map((line) => [line.operation, line.old_app_id, line.new_app_id]),
  };
}

const nothingCounted = {
  lowered: 0,
  changes: [],
  lines: [['DescribeAccountQuota', 1, 2]],
};

test('counts nothing, and is logged once, when the keys are exchanged while the daemon runs', async () => {
  const { daemon, useKeysOf } = await start();

  await useKeysOf('second');

  expect(await findings(daemon)).toEqual(nothingCounted);
});

test('counts nothing, and is logged once, when the keys are exchanged while the daemon is down', async () => {
  const { daemon, options, useKeysOf } = await start();
  await daemon.stop();

  await useKeysOf('second');
  const restarted = await startDaemon(options);

  expect(await findings(restarted)).toEqual(nothingCounted);
});
