/** A configuration that selects zones or quota types shows no more. */
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { configOf, startDaemon, watchService } from '../../support/program.ts';
import { startService, type Service } from '../../support/service.ts';

const zones = ['ap-guangzhou-3', 'ap-guangzhou-4', 'ap-guangzhou-6'];
const selection = (service: Service) =>
  configOf(service, {
    account: { quota_types: ['postpaid', 'spotpaid'] },
    regions: [{ name: 'ap-guangzhou', zones: ['ap-guangzhou-3', 'ap-guangzhou-6'] }],
  });

const shown = { zones: ['ap-guangzhou-3', 'ap-guangzhou-6'], types: ['postpaid', 'spotpaid'] };

test('Of a whole answer, only the selected zones and types are shown', async () => {
  const service = await startService();
  service.region('ap-guangzhou', { zones });
  const daemon = await startDaemon({ config: selection(service) });
  const samples = await daemon.cycle();

  expect(service.asked({ action: 'DescribeAccountQuota' })[0]?.parameters).toEqual({});
  const limits = samples.matching('cvm_quota_limit');
  expect(new Set(limits.map(({ labels }) => labels.zone))).toEqual(new Set(shown.zones));
  expect(new Set(limits.map(({ labels }) => labels.quota_type))).toEqual(new Set(shown.types));
  await observe(daemon, 'two zones and two types');
});

test('A reload that narrows the selection makes no quota disappear, and one that widens it again makes none appear', async () => {
  const service = await startService();
  service.region('ap-guangzhou', { zones });
  const daemon = await watchService(service);

  for (const config of [selection(service), configOf(service, {})]) {
    expect(await daemon.reload(config)).toBe(200);
    // A quota has disappeared when three polls lack it.
    for (let polls = 0; polls < 4; polls += 1) {
      const samples = await daemon.cycle();
      expect(samples.value('cvm_monitor_target_incomplete')).toBe(0);
      expect(samples.sum('cvm_quota_disappeared_total')).toBe(0);
    }
  }
  expect(await daemon.feed()).toEqual([]);
});
