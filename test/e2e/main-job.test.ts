/** The main job, as its users run it: a configuration file, a service over HTTP, and a scrape. */
import { describe, expect, test } from 'vitest';
import { startDaemon, type DaemonProcess } from '../helpers/daemon-process.ts';
import { startPlainService, type AccountQuota } from '../helpers/plain-service.ts';
import type { Samples } from '../helpers/samples.ts';

const config = (endpoint: string) => `
poll: { schedule: "*/2 * * * * *" }
api: { endpoint: "${endpoint}" }
accounts:
  - name: production
    credentials: { type: none }
    regions:
      - ap-shanghai
      - name: ap-guangzhou
        launch_templates: [lt-b8v1kcyq]
`;

/** Quotas of two zones, all figures distinct. */
const quotasOf = (region: string, seed: number): AccountQuota => {
  const row = (zone: number, factor: number) => ({
    UsedQuota: seed + factor,
    RemainingQuota: seed * 10 + factor,
    TotalQuota: seed * 11 + 2 * factor,
    Zone: `${region}-${zone}`,
  });
  return {
    PostPaidQuotaSet: [row(3, 1), row(4, 2)],
    PrePaidQuotaSet: [row(3, 3), row(4, 4)].map((set) => ({ ...set, OnceQuota: 300 })),
    SpotPaidQuotaSet: [row(3, 5), row(4, 6)],
    DisasterRecoverGroupQuotaSet: [
      {
        CvmInRackGroupQuota: 30,
        GroupQuota: 10,
        CvmInHostGroupQuota: 50,
        CurrentNum: 3,
        CvmInSwitchGroupQuota: 20,
      },
    ],
    ImageQuotaSet: [{ UsedQuota: 7, TotalQuota: 10 }],
  };
};

const typeOfSet = {
  PostPaidQuotaSet: 'postpaid',
  PrePaidQuotaSet: 'prepaid',
  SpotPaidQuotaSet: 'spotpaid',
};

const changes = 'cvm_launch_template_default_version_changes_total';

/** The next exposition in which every target was polled once more, and all are up. */
async function nextCycle(daemon: DaemonProcess): Promise<Samples> {
  const polls = (samples: Samples) => samples.sum('cvm_monitor_polls_total');
  const before = polls(await daemon.metrics());
  return daemon.metricsWhen((samples) => polls(samples) >= before + 6);
}

async function start() {
  const service = await startPlainService();
  service.quotas.set('ap-shanghai', quotasOf('ap-shanghai', 100));
  service.quotas.set('ap-guangzhou', quotasOf('ap-guangzhou', 200));
  service.templates.set('lt-b8v1kcyq', { versions: [1, 2, 3], defaultVersion: 2 });
  const daemon = await startDaemon({ config: config(service.url) });
  await daemon.ready();
  return { service, daemon };
}

describe('against a service written from its specification alone', () => {
  test('every gauge is the figure of its zone and type', async () => {
    const { service, daemon } = await start();

    const samples = await daemon.metrics();

    for (const [region, sets] of service.quotas) {
      for (const [set, quota_type] of Object.entries(typeOfSet)) {
        for (const row of sets[set] ?? []) {
          const labels = { account: 'production', region, quota_type, zone: String(row.Zone) };
          expect(samples.value('cvm_quota_used', labels)).toBe(row.UsedQuota);
          expect(samples.value('cvm_quota_remaining', labels)).toBe(row.RemainingQuota);
          expect(samples.value('cvm_quota_limit', labels)).toBe(row.TotalQuota);
          expect(samples.value('cvm_quota_once_limit', labels)).toBe(row.OnceQuota);
        }
      }
      const image = { region, quota_type: 'image' };
      const groups = { region, quota_type: 'disaster_recover_group' };
      expect(samples.value('cvm_quota_remaining', image)).toBe(3);
      expect(samples.value('cvm_quota_remaining', groups)).toBe(7);
      expect(samples.value('cvm_account_info', { region, app_id: '251007416' })).toBe(1);
    }
    expect(samples.matching('cvm_quota_used')).toHaveLength(16);
  });

  test('a change of the default version counts once, also across a restart', async () => {
    const { service, daemon } = await start();
    expect((await nextCycle(daemon)).value(changes)).toBe(0);

    service.templates.set('lt-b8v1kcyq', { versions: [1, 2, 3], defaultVersion: 3 });
    await daemon.metricsWhen((samples) => samples.value(changes) === 1);
    expect((await nextCycle(daemon)).value(changes)).toBe(1);

    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
    const again = await startDaemon({ config: config(service.url), directory: daemon.directory });
    await again.ready();
    expect((await again.metrics()).value(changes)).toBe(1);
    expect((await nextCycle(again)).value(changes)).toBe(1);
  });

  test('a change while the daemon is down is counted once after its start', async () => {
    const { service, daemon } = await start();
    await daemon.stop();
    service.templates.set('lt-b8v1kcyq', { versions: [1, 2, 3], defaultVersion: 1 });

    const again = await startDaemon({ config: config(service.url), directory: daemon.directory });
    await again.ready();

    expect((await nextCycle(again)).value(changes)).toBe(1);
  });

  test('a version 47 that is default is seen', async () => {
    const { service, daemon } = await start();
    const versions = [1, 2, 3, ...Array.from({ length: 120 }, (_, i) => 40 + i)];
    service.templates.set('lt-b8v1kcyq', { versions, defaultVersion: 47 });

    const samples = await daemon.metricsWhen((each) => each.value(changes) === 1);

    expect(samples.value('cvm_launch_template_default_version')).toBe(47);
    expect(samples.value('cvm_launch_template_latest_version')).toBe(159);
    expect(samples.value('cvm_launch_template_versions')).toBe(123);
  });

  test('a gateway that answers 502 for one region leaves the other region as it is', async () => {
    const { service, daemon } = await start();
    const shanghai = (samples: Samples) =>
      samples.all.filter(({ name, labels }) => {
        return labels.region === 'ap-shanghai' && name.startsWith('cvm_quota');
      });
    const before = shanghai(await daemon.metrics());

    service.broken.add('ap-guangzhou');
    const target = { region: 'ap-guangzhou', operation: 'DescribeAccountQuota' };
    const samples = await daemon.metricsWhen(
      (each) => each.value('cvm_monitor_target_up', target) === 0,
    );

    expect(
      samples.value('cvm_monitor_poll_failures_total', { ...target, code: 'HttpStatus' }),
    ).toBe(1);
    expect(samples.value('cvm_monitor_target_up', { region: 'ap-shanghai' })).toBe(1);
    expect(shanghai(samples)).toEqual(before);
  });
});
