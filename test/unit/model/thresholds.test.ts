import { expect, test } from 'vitest';
import type { Quota } from '../../../src/model/quota.ts';
import {
  isCriticalAboveWarning,
  isLaunchMuted,
  parseThreshold,
  thresholdsAt,
  thresholdsOf,
  thresholdText,
  type OverrideFilter,
  type Threshold,
  type ThresholdOverride,
  type Thresholds,
} from '../../../src/model/thresholds.ts';
import { quota, quotaTarget } from '../../support/fake-monitor.ts';
import { override } from '../../support/records.ts';

const share = (text: string): Threshold => parseThreshold(text)!;
const pair = (warning: string, critical: string) => ({
  warning: share(warning),
  critical: share(critical),
});
const other = pair('2', '1');
const target = quotaTarget('production', 'ap-guangzhou');

const thresholdsWith = (...overrides: ThresholdOverride[]): Thresholds => ({
  ...pair('20%', '10%'),
  overrides,
});

test.each([
  ['20%', { basisPoints: 2_000 }],
  ['12.55%', { basisPoints: 1_255 }],
  ['0%', { basisPoints: 0 }],
  ['100%', { basisPoints: 10_000 }],
  ['5', { count: 5 }],
  ['0', { count: 0 }],
])('the text of a threshold %s is read, and written again', (text, threshold) => {
  expect(parseThreshold(text)).toEqual(threshold);
  expect(thresholdText(threshold)).toBe(text);
});

test.each([
  '0.2',
  '1.0',
  '101%',
  '100.01%',
  '-5',
  '-5%',
  '',
  '%',
  ' 5',
  '5 %',
  '1e3',
  '.5%',
  '20%x',
  'x20%',
])('the text of a threshold is not %j', (text) => {
  expect(parseThreshold(text)).toBeNull();
});

test.each([
  ['10%', '10%', false],
  ['10%', '10.01%', true],
  ['5', '5', false],
  ['5', '6', true],
  ['1', '90%', false],
  ['1%', '90', false],
])(
  'a critical threshold beside a warning of %s: %s is above it: %j',
  (warning, critical, isAbove) => {
    expect(isCriticalAboveWarning(pair(warning, critical))).toBe(isAbove);
  },
);

const remainingOf = (limit: number, thresholds: Thresholds) =>
  thresholdsOf(thresholds, target)(quota({ used: 0, limit }));

test.each([
  [100, '20%', '10%', 20, 10],
  [288, '20%', '10%', 58, 29],
  [1, '20%', '10%', 1, 1],
  [100, '7%', '0%', 7, 0],
  [3_000, '1.1%', '1.1%', 33, 33],
  [100, '100%', '100%', 100, 100],
  [10, '2', '1', 2, 1],
  [3, '5', '0', 5, 0],
])(
  'the thresholds of a quota of %i: %s is %i, %s is %i',
  (limit, warning, critical, remaining, atCritical) => {
    const thresholds = { ...pair(warning, critical), overrides: [] };

    expect(remainingOf(limit, thresholds)).toEqual({ warning: remaining, critical: atCritical });
  },
);

test('the thresholds of a quota are absent for a limit of 0, and for a muted quota', () => {
  expect(remainingOf(0, { ...pair('5', '1'), overrides: [] })).toBeNull();
  expect(remainingOf(10, thresholdsWith(override({}, null), override({}, other)))).toBeNull();
});

const zone = 'ap-guangzhou-3';
const image = { type: 'image', zone: null };
const addresses = { labels: { subnet_id: 'subnet-a' } };

test.each<[OverrideFilter, Partial<Quota>, boolean]>([
  [{}, {}, true],
  [{ accounts: ['staging'] }, {}, false],
  [{ regions: ['ap-shanghai', 'ap-guangzhou'] }, {}, true],
  [{ regions: ['ap-guangzhou'] }, image, true],
  [{ regions: ['ap-shanghai'] }, {}, false],
  [{ zones: ['ap-guangzhou-4'] }, {}, false],
  [{ zones: [zone] }, image, false],
  [{ quota_types: ['image'] }, {}, false],
  [{ charge_types: ['postpaid'] }, {}, true],
  [{ charge_types: ['spotpaid'] }, {}, false],
  [{ launch_templates: ['lt-1'] }, { labels: { template_id: 'lt-1' } }, true],
  [{ launch_templates: ['lt-1'] }, {}, false],
  [{ subnets: ['subnet-a', 'subnet-b'] }, addresses, true],
  [{ subnets: ['subnet-b'] }, addresses, false],
  [{ subnets: ['subnet-b'] }, {}, false],
  [{ placement_groups: ['ps-a'] }, { labels: { placement_group_id: 'ps-a' } }, true],
  [{ placement_groups: ['ps-b'] }, { labels: { placement_group_id: 'ps-a' } }, false],
])('the first override is one of %j for the quota %j: %j', (filter, named, expected) => {
  const row = { ...quota({ used: 0, limit: 100, zone }), ...named };
  const thresholds = thresholdsWith(override(filter, other), override({}, pair('3', '1')));

  expect(thresholdsOf(thresholds, target)(row)?.warning).toBe(expected ? 2 : 3);
});

const launch = {
  account: 'production',
  region: 'ap-guangzhou',
  templateId: 'lt-1',
  groupId: 'asg-1',
  zone,
  chargeType: 'postpaid' as const,
  subnets: ['subnet-a', 'subnet-b'],
  placementGroups: ['ps-a'],
};

test.each<[OverrideFilter, Partial<Parameters<typeof isLaunchMuted>[1]>, boolean]>([
  [{}, {}, true],
  [{ accounts: ['staging'] }, {}, false],
  [{ zones: [zone] }, { zone: null }, false],
  [{ quota_types: ['postpaid'] }, {}, false],
  [{ charge_types: ['spotpaid'] }, {}, false],
  [{ launch_templates: ['lt-2'] }, {}, false],
  [{ scaling_groups: ['asg-1'] }, {}, true],
  [{ scaling_groups: ['asg-2'] }, {}, false],
  [{ scaling_groups: ['asg-1'] }, { groupId: '' }, false],
  [{ subnets: ['subnet-b', 'subnet-a'] }, {}, true],
  [{ subnets: ['subnet-a'] }, {}, false],
  [{ subnets: ['subnet-a'] }, { subnets: [] }, false],
  [{ subnets: ['subnet-a'] }, { subnets: null }, false],
  [{ placement_groups: ['ps-a'] }, {}, true],
  [{ placement_groups: ['ps-b'] }, {}, false],
  [{ placement_groups: ['ps-a'] }, { placementGroups: [] }, false],
])('a mute of %j applies to the launch %j: %j', (filter, named, expected) => {
  const overrides = [override(filter, null), override({}, other)];

  expect(isLaunchMuted({ overrides }, { ...launch, ...named })).toBe(expected);
  expect(isLaunchMuted({ overrides: [] }, launch)).toBe(false);
});

test('an override applies until its end, which is excluded', () => {
  const thresholds = thresholdsWith(override({}, null, 2_000), override({}, other, 1_000));
  const at = (nowMs: number) =>
    thresholdsOf(thresholdsAt(thresholds, nowMs), target)(quota({ used: 0, limit: 100 }));

  expect(at(1_999)).toBeNull();
  expect(at(2_000)).toEqual({ warning: 20, critical: 10 });
});
