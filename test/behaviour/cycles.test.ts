/** Readiness, and cycles that take longer than the schedule allows. */
import { expect, test } from 'vitest';
import {
  type ConfigInput,
  type Monitor,
  type MonitorOptions,
  startMonitor,
} from '../support/monitor.ts';
import { Samples, seriesOf } from '../support/exposition.ts';
import { type Gateway, startGateway } from '../support/stub-service.ts';

const quotas = 'DescribeAccountQuota';
const template = 'DescribeLaunchTemplateVersions';

const config = (endpoint: string): ConfigInput => ({
  poll: { schedule: '*/5 * * * *', stale_after: '15m' },
  api: { endpoint, max_attempts: 1 },
  accounts: [
    {
      name: 'sample',
      credentials: { type: 'none' },
      regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] }],
    },
  ],
});

const start = (options: Partial<MonitorOptions> = {}) =>
  startMonitor({ config: ({ endpoint }) => config(endpoint), ...options });

const pollsOf = async (monitor: Monitor, operation: string) =>
  new Samples(await monitor.text()).value('cvm_monitor_polls_total', { operation });

test('readiness comes with the first attempt of every target, be it a failure', async () => {
  let gateway: Gateway | null = null;
  const held: (() => void)[] = [];
  const monitor = await start({
    waitsForFirstCycle: false,
    serviceUrl: async (emulator) => {
      gateway = await startGateway(emulator);
      gateway.replacementFor = ({ query }) =>
        query.Action === 'DescribeAccountQuota'
          ? (response) => held.push(() => response.writeHead(500).end())
          : null;
      return gateway.url;
    },
  });
  await monitor.until(() => Promise.resolve(held.length === 1));
  await monitor.until(async () => (await pollsOf(monitor, template)) === 1);
  expect((await monitor.get('/-/ready')).status).toBe(503);
  expect((await monitor.get('/-/healthy')).status).toBe(200);

  for (const release of held) release();
  await monitor.until(async () => (await monitor.get('/-/ready')).ok);

  expect(Object.values(seriesOf(await monitor.metrics(), 'cvm_monitor_target_up'))).toEqual([0, 1]);
});

const skipped = async (monitor: Monitor) => {
  // The daemon renders the figures of itself once a second.
  monitor.clock.advance(1_000);
  return seriesOf(await monitor.metrics(), 'cvm_monitor_cycles_skipped_total');
};

test('cycles are skipped and counted while the one before runs, and go on after it', async () => {
  const held: (() => void)[] = [];
  let gateway: Gateway | null = null;
  const monitor = await start({
    serviceUrl: async (emulator) => (gateway = await startGateway(emulator)).url,
  });
  const { requests } = gateway!;
  gateway!.replacementFor = () => (response, body) => held.push(() => response.end(body));
  monitor.schedule.due();
  await monitor.until(() => Promise.resolve(held.length === 2));

  monitor.schedule.due();
  monitor.schedule.due();
  monitor.schedule.due();

  expect(await skipped(monitor)).toEqual({
    '{account="sample",reason="overlap"}': 3,
    '{account="sample",reason="missed"}': 0,
  });
  expect(requests).toHaveLength(4);

  gateway!.replacementFor = () => null;
  for (const release of held) release();
  await monitor.until(async () => (await pollsOf(monitor, quotas)) === 2);
  await monitor.until(async () => (await pollsOf(monitor, template)) === 2);
  await monitor.cycle();
  expect(requests).toHaveLength(6);
  expect(await skipped(monitor)).toEqual({
    '{account="sample",reason="overlap"}': 3,
    '{account="sample",reason="missed"}': 0,
  });
  expect(seriesOf(await monitor.metrics(), 'cvm_monitor_cycles_total')).toEqual({
    '{account="sample"}': 3,
  });
});
