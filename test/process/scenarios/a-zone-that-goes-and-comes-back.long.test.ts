/** What is gone from the answer is gone from the gauges; what comes back has its counters again. */
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { startWatched, watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const zone = 'ap-guangzhou-3';
const of = { quota_type: 'postpaid', zone };
const changes = 'cvm_quota_limit_changes_total';

test('A zone that comes back has its old counters, and a limit that moved meanwhile is one change', async () => {
  const service = await startService();
  const region = service.region('ap-guangzhou', { zones: [zone, 'ap-guangzhou-4'] });
  const daemon = await watchService(service);
  region.setLimit('postpaid', zone, 300);
  expect((await daemon.cycle()).value(changes, { ...of, direction: 'raised' })).toBe(1);

  const comeBack = region.removeZone(zone);
  const gone = await daemon.cycle();
  expect(gone.matching('cvm_quota_limit', { zone })).toEqual([]);
  expect(gone.matching('cvm_quota_limit', { zone: 'ap-guangzhou-4' })).toHaveLength(3);

  comeBack();
  region.setLimit('postpaid', zone, 250);
  const back = await daemon.cycle();
  expect(back.value('cvm_quota_limit', of)).toBe(250);
  expect(back.value(changes, { ...of, direction: 'raised' })).toBe(1);
  expect(back.value(changes, { ...of, direction: 'lowered' })).toBe(1);
  await observe(daemon, 'after it came back with another limit');
});

test('A zone that is new has counters of 0', async () => {
  const { region, daemon } = await startWatched();

  region.addZone('ap-guangzhou-7', zone);
  const samples = await daemon.cycle();

  const fresh = { quota_type: 'postpaid', zone: 'ap-guangzhou-7' };
  expect(samples.value('cvm_quota_limit', fresh)).toBe(200);
  expect(samples.sum(changes, fresh)).toBe(0);
  expect(samples.matching(changes, fresh)).toHaveLength(2);
  await observe(daemon, 'after a zone appeared');
});

test('A quota that one poll lacks makes its target incomplete, and one that three polls lack has disappeared', async () => {
  const service = await startService();
  const region = service.region('ap-guangzhou', { zones: [zone, 'ap-guangzhou-4'] });
  const daemon = await watchService(service);
  const disappeared = 'cvm_quota_disappeared_total';

  const comeBack = region.removeZone(zone);
  const missing = await daemon.metricsWhen(
    (each) => each.value('cvm_monitor_target_incomplete') === 1,
  );
  expect(missing.value('cvm_monitor_target_up')).toBe(1);
  const gone = await daemon.metricsWhen((each) => each.sum(disappeared) > 0);
  expect(gone.value('cvm_monitor_target_incomplete')).toBe(0);
  for (const quota_type of ['postpaid', 'prepaid', 'spotpaid']) {
    expect(gone.value(disappeared, { quota_type, zone })).toBe(1);
  }
  expect(gone.sum(disappeared)).toBe(3);

  comeBack();
  expect((await daemon.cycle()).value(disappeared, of)).toBe(1);
  const feed = await daemon.feed();
  expect(feed.filter((line) => line.startsWith('postpaid'))).toEqual([
    `postpaid/${zone}: quota-disappeared 200`,
    `postpaid/${zone}: quota-appeared 200`,
  ]);
  expect(feed).toHaveLength(6);
});
