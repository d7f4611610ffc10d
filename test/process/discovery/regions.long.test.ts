/** The discovery of regions, from the service to the metrics. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { edited, instead } from '../../support/gateway.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import type { StubRequest } from '../../support/stub-service.ts';
import { countByAction, idOf, startStage, template, type StageOptions } from './stage.ts';

const operation = 'DescribeRegions';
const quotas = 'DescribeAccountQuota';
const hourMs = 3_600_000;

type Region = StageOptions['regions'][number];

const regionOf = (name: string, others: Partial<Region> = {}): Region => ({
  name,
  zones: [{ name: `${name}-1`, postpaid: { used: 1, limit: 100 } }],
  ...others,
});

const regions = [
  regionOf('ap-guangzhou'),
  regionOf('ap-seoul'),
  regionOf('eu-frankfurt', { state: 'UNAVAILABLE' }),
  regionOf('sa-saopaulo'),
];

const everyRegion = { quota_types: ['postpaid'], regions: 'all' as const };
const available = ['ap-guangzhou', 'ap-seoul', 'sa-saopaulo'];

/** The regions with a limit. */
async function watched({ samples }: Awaited<ReturnType<typeof startStage>>) {
  return (await samples()).matching('cvm_quota_limit').map(({ labels }) => labels.region);
}

/** New regions are polled after the cycle that finds them. */
const untilWatched = (stage: Awaited<ReturnType<typeof startStage>>, names: readonly string[]) =>
  expect.poll(() => watched(stage)).toEqual(names);

const unsupported = instead(
  '{"Response":{"Error":{"Code":"UnsupportedRegion","Message":"m"},"RequestId":"r"}}',
);

describe('regions: all', () => {
  test('watches the available regions, and asks for them once an hour', async () => {
    const stage = await startStage({ regions, account: everyRegion, poll: { stale_after: '15m' } });

    expect(countByAction(stage.gateway.requests)).toEqual({ [operation]: 1, [quotas]: 3 });
    expect(await watched(stage)).toEqual(available);

    const asked: number[] = [];
    for (let i = 0; i < 24; i += 1) {
      const { [operation]: requests = 0, [quotas]: polls } = await stage.cycle(5 * 60_000);
      asked.push(requests);
      expect(polls).toBe(3);
      expect((await stage.samples()).value('cvm_monitor_target_up', { operation })).toBe(1);
    }
    expect(asked.reduce((sum, each) => sum + each, 0)).toBe(2);
  });

  test('leaves out the regions of `except`, and finds the launch templates of the others', async () => {
    const stage = await startStage({
      regions: regions.map((each, n) => ({ ...each, launch_templates: [template(n)] })),
      account: {
        quota_types: ['postpaid'],
        regions: { except: ['ap-seoul'], launch_templates: 'all' },
      },
    });

    expect(await watched(stage)).toEqual(['ap-guangzhou', 'sa-saopaulo']);
    const found = (await stage.samples()).matching('cvm_launch_template_default_version');
    expect(found.map(({ labels }) => labels.template_id)).toEqual([0, 3].map(idOf));
  });

  test('begins with a new region at the next discovery, and forgets one that is gone', async () => {
    const stage = await startStage({ regions, account: everyRegion });
    const listed = (names: readonly string[]) => (request: StubRequest) =>
      request.query.Action === operation
        ? edited((fields) => {
            fields.RegionSet = names.map((Region) => ({ Region, RegionState: 'AVAILABLE' }));
            fields.TotalCount = names.length;
          })
        : null;
    stage.emulator.do({
      do: 'set-limit',
      region: 'ap-seoul',
      zone: 'ap-seoul-1',
      quota_type: 'postpaid',
      limit: 99,
    });
    await stage.cycle();

    stage.gateway.replacementFor = listed(['ap-guangzhou', 'eu-frankfurt']);
    await stage.cycle(hourMs);
    // What one answer lacks is asked for again in the next cycle.
    await stage.cycle();
    await untilWatched(stage, ['ap-guangzhou', 'eu-frankfurt']);
    expect(await stage.changes()).toContain('region-disappeared ap-seoul');
    expect(
      (await stage.samples()).all.filter(({ labels }) => labels.region === 'ap-seoul'),
    ).toEqual([]);

    // What a region lost keeps its counters, and a change meanwhile is counted.
    stage.emulator.do({
      do: 'set-limit',
      region: 'ap-seoul',
      zone: 'ap-seoul-1',
      quota_type: 'postpaid',
      limit: 98,
    });
    stage.gateway.replacementFor = listed(['ap-guangzhou', 'ap-seoul']);
    await stage.cycle(hourMs);
    await stage.cycle();
    await untilWatched(stage, ['ap-guangzhou', 'ap-seoul']);
    expect(await stage.changes()).toContain('region-appeared ap-seoul');
    const lowered = { region: 'ap-seoul', direction: 'lowered' };
    expect((await stage.samples()).value('cvm_quota_limit_changes_total', lowered)).toBe(2);
  });

  test('leaves out a region without the operation until the next discovery, and logs it once', async () => {
    const { logger, lines } = recordingLogger();
    const isSeoul = ({ query }: StubRequest) => query.Region === 'ap-seoul';
    const stage = await startStage({
      regions,
      account: everyRegion,
      logger,
      replacementFor: (request) => (isSeoul(request) ? unsupported : null),
    });
    const leftOut = () =>
      lines.filter(({ fields }) => fields.region === 'ap-seoul').map(({ message }) => message);
    const messages = ['target is failing', 'region left out: it does not offer an operation'];

    expect(await watched(stage)).toEqual(['ap-guangzhou', 'sa-saopaulo']);
    expect(leftOut().toSorted()).toEqual(messages.toSorted());
    expect(await stage.cycle()).toEqual({ [quotas]: 2 });
    const { all } = await stage.samples();
    expect(all.filter(({ labels }) => labels.region === 'ap-seoul')).toEqual([]);

    expect(await stage.cycle(hourMs)).toMatchObject({ [operation]: 1 });
    await untilWatched(stage, ['ap-guangzhou', 'sa-saopaulo']);
    expect(stage.gateway.requests.filter(isSeoul)).toHaveLength(2);
    expect(leftOut().toSorted()).toEqual(messages.toSorted());

    stage.gateway.replacementFor = () => null;
    await stage.cycle(hourMs);
    await untilWatched(stage, available);
    expect(await stage.cycle()).toEqual({ [quotas]: 3 });
  });
});

describe('an answer that is not the whole truth', () => {
  test.each<[string, Parameters<typeof edited>[0]]>([
    [
      'without regions',
      (fields) => {
        fields.RegionSet = [];
        fields.TotalCount = 0;
      },
    ],
    [
      'without the set',
      (fields) => {
        delete fields.RegionSet;
      },
    ],
    [
      'in which no region is available',
      (fields) => {
        for (const row of fields.RegionSet) row.RegionState = 'UNAVAILABLE';
      },
    ],
    [
      'with names that cannot be names',
      (fields) => {
        for (const row of fields.RegionSet) row.Region = '../x';
      },
    ],
    [
      'with an error',
      (fields) => {
        fields.Error = { Code: 'UnsupportedRegion', Message: 'no' };
      },
    ],
  ])('%s keeps every region, and is asked again in the next cycle', async (_name, edit) => {
    const stage = await startStage({ regions, account: everyRegion });

    stage.gateway.replacementFor = ({ query }) =>
      query.Action === operation ? edited(edit) : null;
    await stage.cycle(hourMs);

    expect(await watched(stage)).toEqual(available);
    expect((await stage.samples()).value('cvm_monitor_target_up', { operation })).toBe(0);
    stage.gateway.replacementFor = () => null;
    expect(await stage.cycle()).toEqual({ [operation]: 1, [quotas]: 3 });
    expect((await stage.samples()).value('cvm_monitor_target_up', { operation })).toBe(1);
  });

  test('with a row that cannot be read keeps the region that may be in it', async () => {
    const stage = await startStage({ regions, account: everyRegion });

    stage.gateway.replacementFor = ({ query }) =>
      query.Action === operation
        ? edited((fields) => {
            fields.RegionSet[1] = {};
          })
        : null;
    await stage.cycle(hourMs);

    expect(await watched(stage)).toEqual(available);
    expect((await stage.samples()).value('cvm_monitor_target_incomplete', { operation })).toBe(1);
  });
});

describe('a restart', () => {
  test('shows the regions at once, and asks for them', async () => {
    const first = await startStage({ regions, account: everyRegion });
    await first.monitor.daemon.stop();

    const second = await startStage({
      regions,
      account: everyRegion,
      replacementFor: () => instead('{}'),
      prepare: ({ directory }) =>
        cp(join(first.monitor.directory, 'data'), join(directory, 'data'), { recursive: true }),
    });

    expect(await watched(second)).toEqual(available);
    expect(countByAction(second.gateway.requests)).toEqual({ [operation]: 1, [quotas]: 3 });
  });
});
