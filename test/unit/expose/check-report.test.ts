import { collectors } from '../../../src/collectors/collectors.ts';
import { expect, test } from 'vitest';
import { checkJson } from '../../../src/expose/check-json.ts';
import { checkReport } from '../../../src/expose/check-report.ts';
import type { ThresholdOverride } from '../../../src/model/thresholds.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import {
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../../support/fake-monitor.ts';
import {
  answered,
  defaultThresholds,
  failed,
  override,
  polledAtMs,
} from '../../support/records.ts';

const thresholds = defaultThresholds;
const options = { thresholds, collectors, planned: [] };
const guangzhou = quotaTarget('production', 'ap-guangzhou');
const shanghai = quotaTarget('production', 'ap-shanghai');
const template = templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq');

const used = (...shares: number[]): TargetRecord =>
  answered(guangzhou, quotas(...shares.map((share) => quota({ used: share, limit: 100 }))));
const lacking = (record: TargetRecord, ...missing: string[]): TargetRecord => ({
  ...record,
  seen: { ...record.seen, snapshot: record.seen.snapshot && { ...record.seen.snapshot, missing } },
});
const empty = lacking(answered(guangzhou, quotas()), 'no quota in the answer');
const withoutZone = lacking(used(80), 'zone ap-guangzhou-9: no row in the answer');
const refused = failed(shanghai, 'UnsupportedRegion', 'no such region');

test.each([
  ['fine', 'every quota has enough left', [used(80, 0)]],
  ['warning', 'less than the first threshold is left', [used(81, 0)]],
  ['warning', 'exactly the second threshold is left', [used(90)]],
  ['critical', 'less than the second threshold is left', [used(91, 81)]],
  ['critical', 'nothing is left', [used(100)]],
  ['unknown', 'a target failed', [used(80), refused]],
  ['unknown', 'a target failed, which may hide worse than a warning', [used(81), refused]],
  ['critical', 'a target failed beside a critical quota', [used(91), refused]],
  ['unknown', 'no quota was in the answer', [empty]],
  ['unknown', 'a configured zone was not in the answer', [withoutZone]],
  ['unknown', 'an answer lacked something, which may hide worse than a warning', [used(81), empty]],
  ['critical', 'an answer lacked something beside a critical quota', [used(91), empty]],
  ['critical', 'less than nothing is left', [used(112)]],
  [
    'critical',
    'more is used than the limit allows, though some is left',
    [answered(guangzhou, quotas(quota({ used: 25, limit: 10, remaining: 5 })))],
  ],
  [
    'critical',
    'a limit of 0 is overdrawn',
    [answered(guangzhou, quotas(quota({ used: 3, limit: 0 })))],
  ],
  ['fine', 'a limit is 0', [answered(guangzhou, quotas(quota({ used: 0, limit: 0 })))]],
])('the status of a check is %s when %s', (status, _when, records) => {
  expect(checkReport(records, options).verdict.level).toBe(status);
});

test('an account that watches quotas and gave none is unknown, also if its regions were left out', () => {
  const watched = { ...options, planned: [guangzhou, quotaTarget('staging', '*'), template] };

  const { verdict } = checkReport([used(10)], watched);

  expect(verdict.level).toBe('unknown');
  expect(verdict.clauses[0]?.text).toContain('account staging ');
  expect(checkReport([], options).verdict.level).toBe('unknown');
  const unnamed = { ...shanghai, account: 'nodes', operation: 'DescribeSubnets', subnets: [] };
  expect(checkReport([used(10)], { ...options, planned: [unnamed] }).verdict.level).toBe('fine');
  expect(checkReport([answered(template, versions([1], 1))], options).verdict.level).toBe('fine');
});

test('overrides and mutes decide the status, but an overdrawn quota stays critical', () => {
  const counts = { warning: { count: 5 }, critical: { count: 2 } };
  const statusWith = (share: number, ...overrides: ThresholdOverride[]) =>
    checkReport([used(share)], { ...options, thresholds: { ...thresholds, overrides } }).verdict
      .level;

  expect(statusWith(91, override({}, counts))).toBe('fine');
  expect(statusWith(96, override({}, counts))).toBe('warning');
  expect(statusWith(99, override({}, counts))).toBe('critical');
  expect(statusWith(100, override({ accounts: ['production'] }, null))).toBe('fine');
  expect(statusWith(100, override({ accounts: ['staging'] }, null))).toBe('critical');
  expect(statusWith(101, override({}, null))).toBe('critical');
});

test('the JSON of a check names what is missing, and a share below 0', () => {
  const json = checkJson(checkReport([withoutZone, used(12)], options), polledAtMs);
  const overdrawn = checkJson(checkReport([used(125)], options), polledAtMs);

  expect(json).toMatchObject({
    status: 'unknown',
    targets: [
      { up: true, incomplete: true, missing: ['zone ap-guangzhou-9: no row in the answer'] },
      { up: true, incomplete: false, missing: [] },
    ],
  });
  expect(overdrawn.quotas).toMatchObject([
    { severity: 'critical', remaining: -25, remaining_ratio: -0.25 },
  ]);
});

test('the JSON of a check has its verdict, each quota with its share, and the targets of the API', () => {
  const records = [
    answered(
      guangzhou,
      quotas(
        quota({ used: 85, limit: 100 }),
        quota({ type: 'image', zone: null, used: 0, limit: 0 }),
      ),
    ),
    answered(template, versions([1, 5, 12], 5)),
    refused,
  ];

  const json = checkJson(checkReport(records, options), polledAtMs);

  expect(json).toMatchObject({
    status: 'unknown',
    checked_at: '2026-02-03T14:05:00.000Z',
    targets: [
      { id: 'production@ap-guangzhou@DescribeAccountQuota', up: true, failure: null },
      { template_id: 'lt-b8v1kcyq', snapshot: { default_version: { version: 5 } } },
      { up: false, failure: { code: 'UnsupportedRegion', message: 'no such region' } },
    ],
  });
  expect(json.quotas).toEqual([
    {
      severity: 'warning',
      account: 'production',
      region: 'ap-guangzhou',
      zone: 'ap-guangzhou-3',
      quota_type: 'postpaid',
      unit: 'instances',
      used: 85,
      remaining: 15,
      limit: 100,
      remaining_ratio: 0.15,
      thresholds: { warning: 20, critical: 10 },
    },
    {
      severity: 'fine',
      account: 'production',
      region: 'ap-guangzhou',
      template_id: 'lt-b8v1kcyq',
      zone: null,
      quota_type: 'launch_template_versions',
      unit: 'versions',
      used: 3,
      remaining: 27,
      limit: 30,
      remaining_ratio: 0.9,
      thresholds: { warning: 6, critical: 3 },
    },
    {
      severity: 'fine',
      account: 'production',
      region: 'ap-guangzhou',
      zone: null,
      quota_type: 'image',
      unit: 'images',
      used: 0,
      remaining: 0,
      limit: 0,
      remaining_ratio: null,
      thresholds: null,
    },
  ]);
});
