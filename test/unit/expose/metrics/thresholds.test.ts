import { beforeEach, expect, test } from 'vitest';
import type { ThresholdOverride } from '../../../../src/model/thresholds.ts';
import { FakeMonitor, quota, quotas, quotaTarget } from '../../../support/fake-monitor.ts';
import { Samples } from '../../../support/exposition.ts';
import { defaultThresholds, override } from '../../../support/records.ts';

const guangzhou = quotaTarget('production', 'ap-guangzhou');
const shanghai = quotaTarget('production', 'ap-shanghai');
const counts = { warning: { count: 5 }, critical: { count: 2 } };
const minuteMs = 60_000;

let monitor: FakeMonitor;

beforeEach(() => {
  monitor = new FakeMonitor(guangzhou, shanghai);
});

const use = (...overrides: ThresholdOverride[]) => {
  monitor.thresholds = { ...defaultThresholds, overrides };
};

/** Zone or quota type, warning and critical of each quota in Guangzhou with thresholds. */
async function shown() {
  const samples = new Samples(await monitor.metrics());
  return samples
    .matching('cvm_quota_remaining_threshold', { region: 'ap-guangzhou', severity: 'warning' })
    .map(({ labels, value }) => [
      labels.zone ?? labels.quota_type,
      value,
      samples.value('cvm_quota_remaining_threshold', { ...labels, severity: 'critical' }),
    ]);
}

test('cvm_quota_remaining_threshold has both severities of a quota, with the labels of its other metrics', async () => {
  monitor.poll(guangzhou, quotas(quota({ used: 2, limit: 288 })));

  const samples = new Samples(await monitor.metrics());

  const remaining = samples.matching('cvm_quota_remaining')[0]!;
  expect(
    samples.matching('cvm_quota_remaining_threshold').map(({ labels, value }) => [labels, value]),
  ).toEqual([
    [{ ...remaining.labels, severity: 'warning' }, 58],
    [{ ...remaining.labels, severity: 'critical' }, 29],
  ]);
});

test('cvm_quota_remaining_threshold is absent for a limit of 0 and for a muted quota, also for an overdrawn one', async () => {
  use(override({ zones: ['muted'] }, null), override({ quotaTypes: ['image'] }, counts));
  monitor.poll(
    guangzhou,
    quotas(
      quota({ used: 0, limit: 0, zone: 'none' }),
      quota({ used: 12, limit: 10, zone: 'muted' }),
      quota({ used: 12, limit: 10, zone: 'overdrawn' }),
      quota({ type: 'image', used: 0, limit: 10, zone: null }),
    ),
  );

  expect(await shown()).toEqual([
    ['overdrawn', 2, 1],
    ['image', 5, 2],
  ]);
});

test('cvm_quota_remaining_threshold changes to the millisecond when an override ends, without a poll', async () => {
  const endMs = monitor.nowMs + minuteMs;
  use(override({}, counts, endMs), override({}, null, endMs + 1_000));
  monitor.poll(guangzhou, quotas(quota({ used: 0, limit: 100 })));
  const seen: unknown[] = [await shown()];
  for (const nowMs of [endMs - 1, endMs, endMs + 999, endMs + 1_000]) {
    monitor.nowMs = nowMs;
    seen.push(await shown());
  }

  const [own, none, general] = [[['ap-guangzhou-3', 5, 2]], [], [['ap-guangzhou-3', 20, 10]]];
  expect(seen).toEqual([own, own, none, none, general]);
});

test('cvm_quota_remaining_threshold has the override again after the clock was set back before its end', async () => {
  use(override({}, counts, monitor.nowMs + minuteMs));
  monitor.poll(guangzhou, quotas(quota({ used: 0, limit: 100 })));
  monitor.nowMs += minuteMs;
  const ended = await shown();
  monitor.nowMs -= 1;

  expect([ended, await shown()]).toEqual([
    [['ap-guangzhou-3', 20, 10]],
    [['ap-guangzhou-3', 5, 2]],
  ]);
});

test('cvm_account_info has the labels of its account', async () => {
  monitor.accounts = [
    { name: 'staging', labels: { team: 'b' } },
    { name: 'production', labels: { team: 'payments', cost: '7' } },
  ];
  monitor.poll(guangzhou, quotas(quota({ used: 0, limit: 10 })));

  const [info] = new Samples(await monitor.metrics()).matching('cvm_account_info');

  expect(info).toMatchObject({ labels: { team: 'payments', cost: '7', app_id: '251007416' } });
});
