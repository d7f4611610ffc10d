/** What a daemon with `regions: all` says about regions that refuse, leave the list, or answer for another one. */
import { expect, test } from 'vitest';
import { type Gateway, type Replacement, edited, startGateway } from '../support/stub-service.ts';
import { startMonitor } from '../support/monitor.ts';
import { recordingLogger } from '../support/loggers.ts';
import { Samples } from '../support/exposition.ts';

const quotas = 'DescribeAccountQuota';
const zone = (region: string) => ({ name: region, zones: [{ name: `${region}-3` }] });

const unsupported: Replacement = (response) => {
  const Error = { Code: 'UnsupportedRegion', Message: 'not here' };
  response.end(JSON.stringify({ Response: { Error, RequestId: 'r' } }));
};

const withoutSeoul = edited((fields) => {
  const listed = fields.RegionSet as { Region: string }[];
  const left = listed.filter(({ Region }) => Region !== 'ap-seoul');
  Object.assign(fields, { RegionSet: left, TotalCount: left.length });
});

/**
 * A daemon that watches the regions that the service lists, and asks for the list in each cycle of an hour.
 *
 * @param replacementFor what the service answers at the start
 */
async function startRegions(replacementFor: Gateway['replacementFor'] = () => null) {
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
      gateways[0]!.replacementFor = replacementFor;
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
    cycle: async (afterMs = 3_600_000) => {
      const before = await cycles();
      monitor.clock.advance(afterMs);
      monitor.schedule.due();
      await monitor.until(async () => (await cycles()) > before);
    },
    kinds: async () =>
      (
        (await monitor.json('/api/v1/changes')) as {
          changes: { kind: string; from: string | null; to: string | null }[];
        }
      ).changes.map(({ kind, from, to }) => `${kind} ${from ?? to ?? ''}`),
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

test('a region that never answered is left out, tried again each hour, and comes back', async () => {
  const refusing: Gateway['replacementFor'] = ({ query }) =>
    query.Action === quotas && query.Region === 'ap-seoul' ? unsupported : null;
  const { cycle, gateway, lines, monitor, samples } = await startRegions(refusing);
  const asked = () =>
    gateway.requests.filter(({ query }) => query.Action === quotas && query.Region === 'ap-seoul')
      .length;
  const page = async () => (await monitor.get('/')).text();
  const leftOut = async () => (await samples()).value('cvm_monitor_regions_left_out');

  expect(await leftOut()).toBe(1);
  expect(await page()).toContain('ap-seoul of production');
  expect(await monitor.json('/api/v1/targets')).toMatchObject({
    regions_left_out: [{ account: 'production', region: 'ap-seoul' }],
  });
  await cycle(1_000);
  expect(asked()).toBe(1);
  await cycle();
  await cycle();
  expect(asked()).toBeGreaterThan(1);
  expect(lines.filter(({ message }) => message.startsWith('region left out'))).toHaveLength(1);

  gateway.replacementFor = () => null;
  await cycle();
  await cycle();
  expect(await leftOut()).toBe(0);
  expect(await page()).not.toContain('ap-seoul of production');
  expect(await monitor.json('/api/v1/targets')).toMatchObject({ regions_left_out: [] });
  const seoul = { region: 'ap-seoul', operation: quotas };
  expect((await samples()).value('cvm_monitor_target_up', seoul)).toBe(1);
});

test('a region that joins the list has appeared: counter, feed, log, and it is watched', async () => {
  const { cycle, gateway, kinds, lines, samples } = await startRegions(({ query }) =>
    query.Action === 'DescribeRegions' ? withoutSeoul : null,
  );
  expect((await samples()).matching('cvm_monitor_target_up', { region: 'ap-seoul' })).toEqual([]);

  gateway.replacementFor = () => null;
  await cycle();

  expect(await kinds()).toEqual(['region-appeared ap-seoul']);
  expect((await samples()).value('cvm_regions_appeared_total')).toBe(1);
  expect(JSON.stringify(lines)).toContain('region-appeared');
  const seoul = { region: 'ap-seoul', operation: quotas };
  expect((await samples()).value('cvm_monitor_target_up', seoul)).toBe(1);
});
