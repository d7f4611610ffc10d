/** A configuration that selects zones or quota types asks for no more, and shows no more. */
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

test('The filters zone and quota-type are sent in the form of the service', async () => {
  const service = await startService();
  service.region('ap-guangzhou', { zones });
  const daemon = await startDaemon({ config: selection(service) });
  const samples = await daemon.cycle();

  const [request] = service.asked({ action: 'DescribeAccountQuota' });
  expect(request?.parameters).toEqual({
    'Filters.0.Name': 'zone',
    'Filters.0.Values.0': 'ap-guangzhou-3',
    'Filters.0.Values.1': 'ap-guangzhou-6',
    'Filters.1.Name': 'quota-type',
    'Filters.1.Values.0': 'PostPaidQuotaSet',
    'Filters.1.Values.1': 'SpotPaidQuotaSet',
  });
  const limits = samples.matching('cvm_quota_limit');
  expect(new Set(limits.map(({ labels }) => labels.zone))).toEqual(new Set(shown.zones));
  expect(new Set(limits.map(({ labels }) => labels.quota_type))).toEqual(new Set(shown.types));
  await observe(daemon, 'two zones and two types');
});

test('What a service that ignores the filters adds is not shown', async () => {
  const service = await startService();
  const { sets } = service.region('ap-guangzhou', { zones });
  service.fault({
    edit: (fields) => {
      const overview = fields.AccountQuotaOverview as { AccountQuota: unknown };
      overview.AccountQuota = structuredClone(sets);
    },
  });
  const daemon = await startDaemon({ config: selection(service) });

  const limits = (await daemon.cycle()).matching('cvm_quota_limit');
  expect(new Set(limits.map(({ labels }) => labels.zone))).toEqual(new Set(shown.zones));
  expect(new Set(limits.map(({ labels }) => labels.quota_type))).toEqual(new Set(shown.types));
});

test('Without a selection, no filter is sent', async () => {
  const service = await startService('ap-guangzhou');
  await watchService(service);

  expect(service.requests[0]?.parameters).toEqual({});
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
