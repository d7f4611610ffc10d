/** One region fails: its last figures stay, and every other target goes on as if nothing were. */
import { expect, test } from 'vitest';
import { emulateRegions, setLimit, setUsed } from '../../support/emulator.ts';
import { watchEmulator } from '../../support/program.ts';

const guangzhou = { region: 'ap-guangzhou' };

test('A poll that fails leaves the last figures as they are, and changes nothing of other targets', async () => {
  const emulator = await emulateRegions('ap-guangzhou', 'ap-shanghai');
  emulator.do(setUsed('postpaid', 41, 'ap-shanghai'));
  const daemon = await watchEmulator(emulator, {
    api: { max_attempts: 1 },
    regions: ['ap-guangzhou', 'ap-shanghai'],
  });
  await daemon.cycle();

  emulator.faults.add({ ...guangzhou, effect: 'error', code: 'InternalError' });
  emulator.do(setLimit('postpaid', 300));
  const failed = await daemon.cycle();
  expect(failed.value('cvm_quota_limit', { ...guangzhou, quota_type: 'postpaid' })).toBe(200);
  expect(failed.value('cvm_monitor_target_up', guangzhou)).toBe(0);
  expect(failed.value('cvm_monitor_target_up', { region: 'ap-shanghai' })).toBe(1);
  expect(failed.value('cvm_quota_used', { region: 'ap-shanghai', quota_type: 'postpaid' })).toBe(
    41,
  );
  const { targets } = (await daemon.json('/api/v1/targets')) as { targets: object[] };
  expect(targets).toEqual([
    expect.objectContaining({
      ...guangzhou,
      failure: expect.objectContaining({ code: 'InternalError' }) as object,
    }),
    expect.objectContaining({ region: 'ap-shanghai', failure: null }),
  ]);
  expect(await daemon.feed()).toEqual([]);
  await daemon.logged('target is failing', ({ region }) => region === 'ap-guangzhou');

  emulator.faults.clear();
  const well = await daemon.cycle();
  expect(well.value('cvm_quota_limit', { ...guangzhou, quota_type: 'postpaid' })).toBe(300);
  expect(well.sum('cvm_quota_limit_changes_total')).toBe(1);
  // A list is at most a second old.
  await expect
    .poll(() => daemon.feed())
    .toEqual(['postpaid/ap-guangzhou-3: quota-limit-raised 200 → 300']);
  await daemon.logged('target recovered', ({ region }) => region === 'ap-guangzhou');
});
