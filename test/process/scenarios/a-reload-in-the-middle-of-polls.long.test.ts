/** A reload changes what the file changed, and nothing else: no poll is lost, none is asked twice. */
import { expect, test } from 'vitest';
import {
  accountWith,
  asked,
  emulateAccounts,
  emulateRegions,
  unlimited,
} from '../../support/emulator.ts';
import type { Samples } from '../../support/exposition.ts';
import { configOf, spawnDaemon, watchEmulator } from '../../support/program.ts';

const quiet = { poll: { schedule: '0 0 1 1 *' } };

test('A poll that is under way is neither ended nor begun again by a reload that adds a region', async () => {
  const emulator = await emulateRegions('ap-guangzhou', 'ap-shanghai');
  emulator.faults.add({ region: 'ap-guangzhou', effect: 'latency', latency: '1500ms' });
  const daemon = await spawnDaemon({
    config: configOf(emulator, { ...quiet, regions: ['ap-guangzhou'] }),
  });
  await daemon.url();
  await expect.poll(() => asked(emulator, { region: 'ap-guangzhou' }).length).toBe(1);

  const regions = ['ap-guangzhou', 'ap-shanghai'];
  expect(await daemon.reload(configOf(emulator, { ...quiet, regions }))).toBe(200);
  await daemon.metricsWhen(
    (samples) => samples.value('cvm_monitor_target_up', { region: 'ap-shanghai' }) === 1,
  );
  await daemon.metricsWhen(
    (samples) => samples.value('cvm_monitor_target_up', { region: 'ap-guangzhou' }) === 1,
  );

  expect(asked(emulator, { region: 'ap-guangzhou' })).toHaveLength(1);
  expect(asked(emulator, { region: 'ap-shanghai' })).toHaveLength(1);
});

test('Ten reloads in a row, in the middle of 2,200 polls, end with the last edit, ask for nothing twice, and lose no poll', async () => {
  const regions = Array.from({ length: 20 }, (_, n) => `ap-region-${n}`);
  const emulator = await emulateAccounts([accountWith('production', regions)], unlimited);
  const configWith = (count: number) => {
    const names = Array.from({ length: count }, (_, n) => `account-${n}`);
    const each = { credentials: { type: 'none' }, quota_types: ['image'], regions };
    const accounts = names.map((name) => ({ name, ...each }));
    return configOf(emulator, { ...quiet, accounts });
  };
  const daemon = await spawnDaemon({ config: configWith(10) });
  await daemon.logged('polling');

  const answers = [];
  for (let n = 2; n <= 11; n += 1) {
    await daemon.configure(configWith(10 * n));
    answers.push(daemon.get('/-/reload', { method: 'POST' }));
    daemon.signal('SIGHUP');
  }
  const statuses = (await Promise.all(answers)).map(({ status }) => status);

  expect(new Set(statuses)).toEqual(new Set([200]));
  await expect
    .poll(() => emulator.requests.total, { timeout: 200_000 })
    .toBeGreaterThanOrEqual(2_200);
  const polls = (each: Samples) => each.matching('cvm_monitor_polls_total');
  const samples = await daemon.metricsWhen(
    (each) => polls(each).length === 2_200 && polls(each).every(({ value }) => value > 0),
  );
  expect(samples.value('cvm_monitor_config_last_reload_successful')).toBe(1);
  expect(samples.sum('cvm_monitor_polls_total')).toBe(2_200);
  expect(samples.sum('cvm_monitor_target_up')).toBe(2_200);
  expect(emulator.requests.total).toBe(2_200);
});

test('SIGHUP reloads as a request does', async () => {
  const emulator = await emulateRegions('ap-guangzhou', 'ap-shanghai');
  const daemon = await watchEmulator(emulator, quiet);

  await daemon.configure(configOf(emulator, { ...quiet, regions: ['ap-shanghai'] }));
  daemon.signal('SIGHUP');

  await daemon.logged('configuration reloaded');
  const samples = await daemon.metricsWhen(
    (each) => each.matching('cvm_quota_used', { region: 'ap-shanghai' }).length === 5,
  );
  expect(samples.matching('cvm_quota_used', { region: 'ap-guangzhou' })).toEqual([]);
  expect(samples.matching('cvm_monitor_target_up', { region: 'ap-guangzhou' })).toEqual([]);
});
