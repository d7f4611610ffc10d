/** The main job: a limit that is raised is one change, on every surface, and stays one. */
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { setLimit } from '../../support/emulator.ts';
import { startWatched } from '../../support/program.ts';

const raised = { quota_type: 'postpaid', direction: 'raised' };
const lowered = { quota_type: 'postpaid', direction: 'lowered' };
const change = 'postpaid/ap-guangzhou-3: quota-limit-raised 200 → 300';
const counter = 'cvm_quota_limit_changes_total';

test('A limit that is raised counts as raised, once, also over a restart', async () => {
  const { emulator, daemon } = await startWatched({ regions: ['ap-guangzhou'] });
  const before = await daemon.cycle();
  expect(before.value('cvm_quota_limit', { quota_type: 'postpaid' })).toBe(200);
  expect(before.value(counter, raised)).toBe(0);
  expect(await daemon.feed()).toEqual([]);

  emulator.do(setLimit('postpaid', 300));
  const after = await daemon.cycle();
  expect(after.value('cvm_quota_limit', { quota_type: 'postpaid' })).toBe(300);
  expect(after.value(counter, raised)).toBe(1);
  expect(after.value(counter, lowered)).toBe(0);
  expect(await daemon.feed()).toEqual([change]);
  const { quotas } = (await daemon.json('/api/v1/quotas')) as { quotas: object[] };
  expect(quotas).toContainEqual(
    expect.objectContaining({ quota_type: 'postpaid', limit: 300, target_state: 'up' }),
  );
  await daemon.logged('change', ({ kind, from, to }) =>
    isDeepStrictEqual([kind, from, to], ['quota-limit-raised', 200, 300]),
  );

  await daemon.restart();
  const again = await daemon.cycle();
  expect(again.value(counter, raised)).toBe(1);
  expect(await daemon.feed()).toEqual([change]);
});
