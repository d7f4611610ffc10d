/** The main job: a limit that is raised is one change, on every surface, and stays one. */
import { expect, test } from 'vitest';
import { setLimit } from '../../support/emulator.ts';
import { observe } from '../../support/observe.ts';
import { startWatched } from '../../support/program.ts';

const raised = { quota_type: 'postpaid', direction: 'raised' };
const lowered = { quota_type: 'postpaid', direction: 'lowered' };
const json = ['/api/v1/quotas', '/api/v1/targets', '/api/v1/changes'];
const counter = 'cvm_quota_limit_changes_total';

test('A limit that is raised counts as raised, once, also over a restart', async () => {
  const { emulator, daemon } = await startWatched({ regions: ['ap-guangzhou'] });
  const before = await daemon.cycle();
  expect(before.value('cvm_quota_limit', { quota_type: 'postpaid' })).toBe(200);
  expect(before.value(counter, raised)).toBe(0);
  await observe(daemon, 'before the change', { json });

  emulator.do(setLimit('postpaid', 300));
  const after = await daemon.cycle();
  expect(after.value('cvm_quota_limit', { quota_type: 'postpaid' })).toBe(300);
  expect(after.value(counter, raised)).toBe(1);
  expect(after.value(counter, lowered)).toBe(0);
  await observe(daemon, 'after the limit was raised', { json });

  await daemon.restart();
  const again = await daemon.cycle();
  expect(again.value(counter, raised)).toBe(1);
  await observe(daemon, 'after a restart', { json });
});
