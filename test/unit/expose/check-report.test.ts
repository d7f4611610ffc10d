import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { checkJson, checkReport } from '../../../src/expose/check-report.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import {
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../../support/fake-monitor.ts';
import { answered, defaultThresholds, failed, polledAtMs } from '../../support/records.ts';

const options = { thresholds: defaultThresholds, collectors, planned: [] };
const guangzhou = quotaTarget('production', 'ap-guangzhou');
const shanghai = quotaTarget('production', 'ap-shanghai');
const template = templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq');

const used = (...shares: number[]): TargetRecord =>
  answered(guangzhou, quotas(...shares.map((share) => quota({ used: share, limit: 100 }))));
const lacking = (record: TargetRecord, ...missing: string[]): TargetRecord => ({
  ...record,
  observed: {
    ...record.observed,
    snapshot: record.observed.snapshot && { ...record.observed.snapshot, missing },
  },
});
const empty = lacking(answered(guangzhou, quotas()), 'no quota in the answer');
const withoutZone = lacking(used(80), 'zone ap-guangzhou-9: no row in the answer');
const refused = failed(shanghai, 'UnsupportedRegion', 'no such region');

test.each([
  ['fine', 'every quota has enough left', [used(80, 0)]],
  ['warning', 'less than the first threshold is left', [used(81, 0)]],
  ['critical', 'less than the second threshold is left', [used(91, 81)]],
  ['unknown', 'a target failed', [used(80), refused]],
  ['unknown', 'a target failed, which may hide worse than a warning', [used(81), refused]],
  ['critical', 'a target failed beside a critical quota', [used(91), refused]],
  ['unknown', 'no quota was in the answer', [empty]],
  ['unknown', 'a configured zone was not in the answer', [withoutZone]],
  ['unknown', 'an answer lacked something, which may hide worse than a warning', [used(81), empty]],
  ['critical', 'an answer lacked something beside a critical quota', [used(91), empty]],
  ['fine', 'a limit is 0', [answered(guangzhou, quotas(quota({ used: 0, limit: 0 })))]],
])('the status of a check is %s when %s', (status, _when, records) => {
  expect(checkReport(records, options).verdict.severity).toBe(status);
});

test('an account that watches quotas and gave none is unknown, also if its regions were left out', () => {
  const watched = { ...options, planned: [guangzhou, quotaTarget('staging', '*'), template] };

  const { verdict } = checkReport([used(10)], watched);

  expect(verdict.severity).toBe('unknown');
  expect(verdict.clauses[0]?.text).toContain('account staging ');
  expect(checkReport([], options).verdict.severity).toBe('unknown');
  const unnamed = { ...shanghai, account: 'nodes', operation: 'DescribeSubnets', ids: [] };
  expect(checkReport([used(10)], { ...options, planned: [unnamed] }).verdict.severity).toBe('fine');
  expect(checkReport([answered(template, versions([1], 1))], options).verdict.severity).toBe(
    'fine',
  );
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
