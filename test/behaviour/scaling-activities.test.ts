/** Scaling activities, from the emulator to counters, gauges and changes: over restarts, kills and a full disk. */
import { cp } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { demoConfig } from '../../src/commands/demo.ts';
import type { ScenarioInput } from '../../src/emulator/emulator.ts';
import { demoScenarioFile } from '../../src/emulator/scenario-files.ts';
import { temporaryDirectory } from '../support/directories.ts';
import { recordingLogger } from '../support/loggers.ts';
import { type ConfigInput, type MonitorOptions, startMonitor } from '../support/monitor.ts';
import { fixtureOf } from '../support/rows.ts';
import { TroubledDisk } from '../support/troubled-disk.ts';

const [region, zone, id] = ['ap-guangzhou', 'ap-guangzhou-3', 'asg-12wjuh0s'];
const spot = 'LimitExceeded.UserSpotQuota';
const scenario = fixtureOf<ScenarioInput>('scenario/scaling-activities');

async function start(options: Partial<MonitorOptions> = {}) {
  const monitor = await startMonitor({
    scenario,
    config: ({ endpoint }) => ({
      api: { endpoint, max_attempts: 1 },
      accounts: [
        { name: 'production', credentials: { type: 'none' }, launches: true, regions: [region] },
      ],
    }),
    ...options,
  });
  return {
    monitor,
    /** Adds an activity that fails at once, or one that lasts. */
    fail: (more: object = {}) => {
      const refusals = [{ Code: spot, Zone: zone }];
      const activity = { region, scaling_group_id: id, status: 'FAILED', refusals } as const;
      monitor.emulator.do({ do: 'add-activity', ...activity, ...more });
    },
    /** The counters above 0, and the codes of the groups that fail. */
    shown: async () =>
      (await monitor.samples()).all.flatMap(({ labels, name, value }) => {
        if (!/^cvm_scaling_(activit|group_failing)/.test(name) || value === 0) return [];
        const { code, foretold, outcome, reason } = labels;
        if (name.endsWith('failing')) return [`fails: ${code} ${reason}`];
        if (outcome === undefined) return [[code, reason, value].join(' ')];
        return [`${outcome}${foretold === 'true' ? ' foretold' : ''} ${value}`];
      }),
  };
}

test('each activity is counted once over polls, restarts and kills, also what ended while no daemon ran', async () => {
  const first = await start();
  const { directory, emulator } = first.monitor;
  const next = (folder: string) =>
    start({ directory: folder, emulator, startMs: first.monitor.clock.now() });
  const fails = `fails: ${spot} quota`;
  expect(await first.shown()).toEqual([fails]);
  const zeros = (await first.monitor.samples()).matching('cvm_scaling_activities_total');
  expect(zeros.map(({ value }) => value)).toEqual(Array(8).fill(0));

  first.fail();
  await first.monitor.cycle();
  await first.monitor.cycle();
  expect(await first.shown()).toEqual(['failed 1', `${spot} quota 1`, fails]);

  // What a kill leaves: the files as they are, without the end of a stop.
  const copy = await temporaryDirectory();
  const isRecord = (path: string) => !path.includes('/lock.');
  await cp(`${directory}/data`, `${copy}/data`, { recursive: true, filter: isRecord });
  await first.monitor.daemon.stop();
  first.fail({ status: 'PARTIALLY_SUCCESSFUL' });
  first.monitor.clock.advance(600_000);
  for (const folder of [directory, copy]) {
    const later = await next(folder);
    // The success ended last.
    expect(await later.shown()).toEqual([
      'successful 1',
      'partial 1',
      'failed 1',
      `${spot} quota 2`,
    ]);
    await later.monitor.daemon.stop();
  }
});

test('a failure that cannot be stored is counted when it can be, and is one change of page, feed, log and filter', async () => {
  const fileCalls = new TroubledDisk();
  const { lines, logger } = recordingLogger();
  const { fail, monitor, shown } = await start({ fileCalls, logger });
  monitor.emulator.do({ do: 'add-activity', region, scaling_group_id: id });
  await monitor.cycle();
  expect(await shown()).toEqual(['successful 1']);

  fileCalls.trouble = 'ENOSPC';
  fail();
  await monitor.cycle();
  expect(await shown()).toEqual(['successful 1']);
  await fileCalls.heal();
  await monitor.cycle();
  await monitor.cycle();
  expect(await shown()).toEqual([
    'successful 1',
    'failed 1',
    `${spot} quota 1`,
    `fails: ${spot} quota`,
  ]);

  const { changes } = await monitor.json('/api/v1/changes?kind=scale-out-failed');
  expect(changes).toMatchObject([{ scaling_group_id: id, from: null, to: spot, zone }]);
  expect(changes.length).toBe(1);
  expect(await (await monitor.get('/')).text()).toContain(
    `scale-out fails with ${spot} in ${zone}`,
  );
  const logged = lines.filter(({ fields }) => fields.kind === 'scale-out-failed');
  expect(logged).toMatchObject([{ fields: { scaling_group_id: id, to: spot, zone } }]);
});

test.each([
  ['blocked', { do: 'set-used', region, zone, quota_type: 'postpaid', used: 10 }],
  ['short', { do: 'set-scaling-group', region, scaling_group_id: id, max_size: 50 }],
] as const)(
  'an activity was foretold if its group was called %s before',
  async (_state, action) => {
    const { fail, monitor, shown } = await start();
    const counted = async () => (await shown()).filter((line) => line.startsWith('failed'));
    monitor.emulator.do(action);
    fail();
    await monitor.cycle();
    expect(await counted()).toEqual(['failed 1']);

    fail();
    await monitor.cycle();
    expect(await counted()).toEqual(['failed foretold 1', 'failed 1']);
  },
);

test('within half a minute, the demo shows a group that cannot reach its maximum, a scale-out that fails as foretold, and a version whose image is gone', async () => {
  const monitor = await startMonitor({
    scenario: demoScenarioFile,
    config: ({ endpoint }) => parse(demoConfig(endpoint)) as ConfigInput,
  });
  const found = new Set<string>();
  for (let second = 0; second < 34; second += 2) {
    await monitor.cycle(2_000);
    for (const { labels, name, value } of (await monitor.samples()).all) {
      const { foretold, outcome, reason } = labels;
      if (name === 'cvm_launch_severity') found.add(`launch ${reason}`);
      if (name === 'cvm_scaling_group_failing') found.add(`failing ${reason}`);
      if (outcome === 'failed' && foretold === 'true') found.add(`failed ${value}`);
    }
  }

  expect([...found]).toEqual(
    expect.arrayContaining(['launch short', 'failing sold-out', 'failed 2', 'launch refused']),
  );
});
