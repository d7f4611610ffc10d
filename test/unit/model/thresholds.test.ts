import { expect, test } from 'vitest';
import type { Quota } from '../../../src/model/quota.ts';
import {
  isCriticalAboveWarning,
  isLaunchMuted,
  judgeQuota,
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
import { rowsOf } from '../../support/rows.ts';

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

test.each(rowsOf<[string, Threshold]>('model', 'texts-of-thresholds'))(
  'the text of a threshold %s is read, and written again',
  (text, threshold) => {
    expect(parseThreshold(text)).toEqual(threshold);
    expect(thresholdText(threshold)).toBe(text);
  },
);

test.each(rowsOf<string>('model', 'no-thresholds'))('the text of a threshold is not %j', (text) => {
  expect(parseThreshold(text)).toBeNull();
});

test.each(rowsOf<[string, string, boolean]>('model', 'critical-beside-warning'))(
  'a critical threshold beside a warning of %s: %s is above it: %j',
  (warning, critical, isAbove) => {
    expect(isCriticalAboveWarning(pair(warning, critical))).toBe(isAbove);
  },
);

const remainingOf = (limit: number, thresholds: Thresholds) => {
  const unused = quota({ used: 0, limit });
  return judgeQuota(unused, thresholdsOf(thresholds, target)(unused)).thresholds;
};

test.each(rowsOf<[number, string, string, number, number]>('model', 'thresholds-of-limits'))(
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

test.each(rowsOf<[OverrideFilter, Partial<Quota>, boolean]>('model', 'overrides-of-quotas'))(
  'the first override is one of %j for the quota %j: %j',
  (filter, named, expected) => {
    const row = { ...quota({ used: 0, limit: 100, zone }), ...named };
    const thresholds = thresholdsWith(override(filter, other), override({}, pair('3', '1')));

    expect(thresholdsOf(thresholds, target)(row)?.warning).toBe(expected ? 2 : 3);
  },
);

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

test.each(
  rowsOf<[OverrideFilter, Partial<Parameters<typeof isLaunchMuted>[1]>, boolean]>(
    'model',
    'mutes-of-launches',
  ),
)('a mute of %j applies to the launch %j: %j', (filter, named, expected) => {
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
