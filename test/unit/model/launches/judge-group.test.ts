import { expect, test } from 'vitest';
import { english } from '../../../../src/model/texts/texts.ts';
import { launchFamilies } from '../../../../src/expose/metrics/launch-families.ts';
import { chargeTypeText, partText } from '../../../../src/expose/launch-text.ts';
import { collectors } from '../../../../src/collectors/collectors.ts';
import { launchTableRow } from '../../../../src/expose/tables/launch-row.ts';
import {
  blockedSinceAfter,
  judgeLaunches,
  judgeTargets,
  type EvaluatedLaunch,
} from '../../../../src/model/launches/judge-region.ts';
import type { TargetFacts } from '../../../../src/model/launches/region-facts.ts';
import {
  chargeTypes,
  type LaunchConfiguration,
  type ScalingGroup,
} from '../../../../src/model/launches/launch.ts';
import { fixtureOf } from '../../../support/rows.ts';

const place = { account: 'a', region: 'ap-x' };
const group: ScalingGroup = {
  ...{ id: 'asg-1', name: 'web', status: 'NORMAL', isEnabled: true, configurationId: 'asc-1' },
  ...{ minSize: 0, maxSize: 10, desiredCapacity: 4, instances: 3 },
  ...{ subnets: ['subnet-3', 'subnet-4'], zones: [] },
};
const configuration: LaunchConfiguration = {
  ...{ id: 'asc-1', status: 'NORMAL', instanceTypes: ['A.B1'], chargeType: 'postpaid' },
  ...{ unjudged: null, disks: [], placementGroups: [] },
};

interface Zone {
  readonly left?: number | null;
  readonly once?: number;
  readonly spot?: number;
  readonly free?: Readonly<Record<string, number | null | 'gone'>>;
  readonly sells?: Readonly<Record<string, boolean | number | null>>;
  readonly level?: number | Readonly<Record<string, number>>;
}
/** What a row of the fixture says, in its words. */
interface Given {
  readonly group?: Partial<ScalingGroup>;
  readonly configuration?: Partial<LaunchConfiguration> | null;
  readonly zones?: Readonly<Record<string, Zone>>;
  readonly isUp?: boolean;
  readonly isConfigurationUp?: boolean;
  readonly isMuted?: boolean;
  readonly asksQuota?: boolean;
  readonly notPermitted?: string;
  /** By zone and family, whether it has the disk, CLOUD_SSD. */
  readonly disks?: Readonly<Record<string, boolean>>;
  /** The free instances of ps-a. */
  readonly groupLeft?: number;
}
interface Row extends Given {
  readonly sentence: string;
  readonly judged: object;
}

const disk = { type: 'CLOUD_SSD', usage: 'SYSTEM_DISK' } as const;
const disksIn = (available: Given['disks'] = {}) => ({
  ...{ isWhole: true, lacking: [] },
  rows: Object.entries(available).map(([place, isAvailable]) => {
    const [zone, family = 'A'] = place.split(' ');
    return {
      ...{ ...disk, family, chargeType: 'postpaid' as const, zone: `ap-x-${zone}`, isAvailable },
    };
  }),
});

function factsOf(given: Given): TargetFacts[] {
  const { asksQuota = true, zones = { 3: {}, 4: {} }, isUp = true } = given;
  const target = { isUp: true, quotas: [], reportable: [], blockedSince: {} };
  const all = Object.entries(zones).map(([number, zone]) => ({ name: `ap-x-${number}`, ...zone }));
  const types = chargeTypes.map((type) => ({ type, zones: null }));
  const quotas = all.flatMap(({ left = 5, name: zone, once, spot = left }) =>
    chargeTypes.map((type) => ({
      ...{ type, zone, unit: 'x', used: 0, limit: 100 },
      remaining: type === 'spotpaid' ? spot : left,
      ...(once !== undefined && { onceLimit: once }),
    })),
  );
  const subnets = all.flatMap(({ free, name: zone }) =>
    Object.entries(free ?? { [`subnet-${zone.at(-1)}`]: 4 }).map(([id, left]) => ({
      ...{ id, zone, left, hasIpv6: false },
      ...{ isGone: left === 'gone', isKnown: left !== null },
    })),
  );
  const rows = all.flatMap(({ level = 3, name: zone, sells = { 'A.B1': true } }) =>
    Object.entries(sells).flatMap(([instanceType, value]) =>
      chargeTypes.map((chargeType) => ({
        ...{ zone, instanceType, chargeType },
        level: typeof level === 'number' ? level : (level[instanceType] ?? 3),
        sells: typeof value === 'number' ? value > 0 : value,
        cpu: typeof value === 'number' ? Math.abs(value) : 2,
      })),
    ),
  );
  const instanceTypes = ['A.B1', 'A.B2', 'A.B8', 'C.B1'];
  const asked = instanceTypes.flatMap((instanceType) =>
    chargeTypes.map((chargeType) => ({ instanceType, chargeType })),
  );
  return [
    { ...target, quotas: asksQuota ? quotas : [], reportable: asksQuota ? types : [] },
    { ...target, isUp, groups: [{ ...group, ...given.group }] },
    {
      ...target,
      isUp: given.isConfigurationUp ?? true,
      configurations:
        given.configuration === null ? [] : [{ ...configuration, ...given.configuration }],
    },
    { ...target, stock: { asked, rows, isWhole: true, histories: [] }, launches: [] },
    {
      ...target,
      subnets,
      quotas: subnets.flatMap(({ id, left, zone }) =>
        typeof left === 'number'
          ? {
              ...{ type: 'subnet_addresses', zone, labels: { subnet_id: id }, unit: 'x' },
              ...{ used: 0, limit: 100, remaining: left },
            }
          : [],
      ),
    },
    ...(given.notPermitted ? [{ ...target, notPermitted: given.notPermitted }] : []),
    { ...target, disks: disksIn(given.disks) },
    {
      ...target,
      placementGroups: [{ id: 'ps-a', isGone: false, isKnown: true, zone: null, hasIpv6: null }],
      quotas: [
        {
          ...{ type: 'g', zone: null, labels: { placement_group_id: 'ps-a' }, unit: 'x' },
          ...{ used: 0, limit: 100, remaining: given.groupLeft ?? 100 },
        },
      ],
    },
  ];
}

/** The reasons in a metric with the value 1. */
const reasonsIn = (metric: string, launch: EvaluatedLaunch) =>
  launchFamilies
    .filter(({ name }) => name === metric)
    .flatMap((family) => family.samples(launch))
    .flatMap(({ labels, value }) => (value === 1 ? labels.reason : []));

function judge(given: Given) {
  const overrides = [
    { filter: { scaling_groups: ['asg-1'] }, thresholds: null, untilMs: Infinity },
  ];
  const [launch] = judgeLaunches(place, factsOf(given), {
    overrides: given.isMuted === true ? overrides : [],
  });
  const { binding, count, isShort, parts, ...judged } = launch!;
  const links = { grafana: null, runbooks: null };
  const { cells } = launchTableRow(launch!, { collectors, links, texts: english });
  const textsOf = (role: string) =>
    cells.find((cell) => cell.role === role)?.texts?.filter((text) => text !== '');
  return {
    ...judged,
    starts: textsOf('detail starts'),
    lines: textsOf('lines parts'),
    need: count,
    short: isShort,
    reasons: parts.flatMap(({ reason, severity }) =>
      reason === null ? [] : `${reason} ${severity}`,
    ),
    blocked: reasonsIn('cvm_launch_blocked', launch!),
    alerts: reasonsIn('cvm_launch_severity', launch!),
    unknown: parts.filter(({ isKnown }) => !isKnown).map(({ part }) => part.name),
    parts: parts.map(({ part }) => part.name),
    holds: Object.fromEntries(parts.map(({ part, roomFor }) => [part.name, roomFor])),
    notAsked: parts.filter(({ isAsked }) => isAsked === false).map(({ part }) => part.name),
    label: chargeTypeText(launch!),
    quotaText: parts
      .filter(({ part }) => part.name === 'quota')
      .map((part) => partText(part, launch!, english))[0],
    text: binding.map((part) => partText(part, launch!, english)).at(-1),
  };
}

const rows = fixtureOf<readonly Row[]>('launches/groups');

test.each(rows.map((row) => [row.sentence, row] as const))(
  'a scaling group is judged: %s',
  (_sentence, { judged, ...given }) => {
    expect(judge(given)).toMatchObject(judged);
  },
);

test('a group that is blocked or short has since when, by its ID', () => {
  const after = (before: Readonly<Record<string, number>>, given: Given) =>
    blockedSinceAfter(before, judgeTargets(place, factsOf(given))[1]!, 200);
  const short = { group: { maxSize: 12 } };
  const since = { 'asg-1 short': 100 };

  expect(after({}, short)).toEqual({ 'asg-1 short': 200 });
  expect(after(since, short)).toBe(since);
  expect(after(since, {})).toEqual({});
  expect(after(since, { ...short, isUp: false })).toBe(since);
  expect(after(since, { group: { isEnabled: false } })).toEqual({});
  expect(after({}, { group: { status: 'VPC_ABNORMAL' } })).toEqual({
    'asg-1 group': 200,
    'asg-1 short': 200,
  });
});

test('a group is judged for the number of instances that is asked for', () => {
  const judged = (count: number) =>
    judgeLaunches(place, factsOf({}), { overrides: [] }, count).map((launch) => [
      launch.count,
      launch.state,
    ]);

  expect([judged(8), judged(9)]).toEqual([[[8, 'fine']], [[9, 'critical']]]);
});
