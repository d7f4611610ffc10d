/** What a daemon with `regions: all` says about regions that refuse, leave the list, or answer for another one. */
import { expect, test } from 'vitest';
import { edited, startGateway, type Gateway, type Replacement } from '../support/gateway.ts';
import { startMonitor } from '../support/monitor.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { Samples } from '../support/samples.ts';

const quotas = 'DescribeAccountQuota';
const zone = (region: string) => ({ name: region, zones: [{ name: `${region}-3` }] });

const unsupported: Replacement = (response) => {
  const Error = { Code: 'UnsupportedRegion', Message: 'not here' };
  response.end(JSON.stringify({ Response: { Error, RequestId: 'r' } }));
};

/** A daemon that watches the regions that the service lists, and asks for the list in each cycle of an hour. */
async function startRegions() {
  const gateways: Gateway[] = [];
  const { logger, lines } = recordingLogger();
  const monitor = await startMonitor({
    logger,
    scenario: {
      accounts: [
        { name: 'production', regions: ['ap-guangzhou', 'ap-shanghai', 'ap-seoul'].map(zone) },
      ],
    },
    serviceUrl: async (emulator) => {
      gateways.push(await startGateway(emulator));
      return gateways[0]!.url;
    },
    config: ({ endpoint }) => ({
      api: { endpoint, max_attempts: 1 },
      accounts: [{ name: 'production', credentials: { type: 'none' }, regions: 'all' }],
    }),
  });
  const samples = async () => new Samples(await monitor.text());
  const cycles = async () => (await samples()).sum('cvm_monitor_cycles_total');
  return {
    monitor,
    samples,
    lines,
    gateway: gateways[0]!,
    cycle: async () => {
      const before = await cycles();
      monitor.clock.advance(3_600_000);
      monitor.schedule.due();
      await monitor.until(async () => (await cycles()) > before);
    },
    kinds: async () =>
      (
        (await monitor.json('/api/v1/changes')) as { changes: { kind: string; from: string }[] }
      ).changes.map(({ kind, from }) => `${kind} ${from}`),
  };
}

test('a region that had answered and refuses is an ordinary failure', async () => {
  const { cycle, gateway, samples } = await startRegions();
  gateway.replacementFor = ({ query }) =>
    query.Action === quotas && query.Region === 'ap-seoul' ? unsupported : null;

  await cycle();
  await cycle();

  const seoul = { region: 'ap-seoul', operation: quotas };
  expect((await samples()).value('cvm_monitor_target_up', seoul)).toBe(0);
  expect((await samples()).value('cvm_monitor_regions_left_out')).toBe(0);
});

test('a region that leaves two lists in a row has disappeared: counter, feed and log', async () => {
  const { cycle, gateway, kinds, lines, samples } = await startRegions();
  gateway.replacementFor = ({ query }) =>
    query.Action === 'DescribeRegions'
      ? edited((fields) => {
          const listed = fields.RegionSet as { Region: string }[];
          const left = listed.filter(({ Region }) => Region !== 'ap-seoul');
          Object.assign(fields, { RegionSet: left, TotalCount: left.length });
        })
      : null;

  await cycle();
  expect(await kinds()).toEqual([]);
  await cycle();

  expect(await kinds()).toEqual(['region-disappeared ap-seoul']);
  expect((await samples()).value('cvm_regions_disappeared_total')).toBe(1);
  expect(JSON.stringify(lines)).toContain('region-disappeared');
});

test('an answer that is about another region is invalid', async () => {
  const { cycle, gateway, samples } = await startRegions();
  gateway.replacementFor = ({ query }) =>
    query.Action === quotas && query.Region === 'ap-seoul'
      ? edited((fields) => {
          const text = JSON.stringify(fields).replaceAll('ap-seoul', 'ap-shanghai');
          Object.assign(fields, JSON.parse(text));
        })
      : null;

  await cycle();

  const labels = { region: 'ap-seoul', operation: quotas, code: 'InvalidResponse' };
  const since = 'cvm_monitor_target_failing_since_timestamp_seconds';
  expect((await samples()).matching(since, labels)).toHaveLength(1);
});
