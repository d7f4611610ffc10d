import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { thresholdText } from '../../../src/model/thresholds.ts';
import { override } from '../../support/records.ts';
import { rowsOf } from '../../support/rows.ts';

const accounts = 'accounts: [{ name: a, regions: [ap-x] }]';
const parse = (thresholds: string, timezone = 'Etc/UTC') =>
  parseConfig(
    `poll: { timezone: ${timezone} }\nthresholds: ${thresholds}\n${accounts}`,
    'f',
    collectors,
  ).thresholds;

const pair = (warning: number, critical: number) => ({
  warning: { count: warning },
  critical: { count: critical },
});

test.each(rowsOf<[string, string, string]>('config', 'thresholds'))(
  'thresholds of %s are %s and %s',
  (text, warning, critical) => {
    const thresholds = parse(text);

    expect(thresholdText(thresholds.warning)).toBe(warning);
    expect(thresholdText(thresholds.critical)).toBe(critical);
  },
);

test('overrides of thresholds have a filter, thresholds or a mute, and an end', () => {
  const { overrides } = parse(`
  overrides:
    - { quota_types: [image], warning: 2, critical: 1 }
    - { accounts: [sandbox], muted: true, until: 2026-12-31 }
    - { regions: [ap-x], zones: [ap-x-1], warning: 5, critical: 0 }`);

  expect(overrides).toEqual([
    override({ quota_types: ['image'] }, pair(2, 1)),
    override({ accounts: ['sandbox'] }, null, Date.UTC(2027, 0, 1)),
    override({ regions: ['ap-x'], zones: ['ap-x-1'] }, pair(5, 0)),
  ]);
});

test('overrides of thresholds last until the end of their last day, in the time zone of the schedule', () => {
  const text = '{ overrides: [{ muted: true, until: "2026-12-31" }] }';

  expect(parse(text, 'Asia/Shanghai').overrides[0]?.untilMs).toBe(Date.UTC(2026, 11, 31, 16));
});

test('overrides with one threshold keep the other one', () => {
  const { overrides } = parse(
    '{ warning: 30%, critical: 5%, overrides: [{ warning: 8 }, { critical: 1% }] }',
  );

  expect(overrides.map(({ thresholds }) => thresholds)).toEqual([
    { warning: { count: 8 }, critical: { basisPoints: 500 } },
    { warning: { basisPoints: 3_000 }, critical: { basisPoints: 100 } },
  ]);
});
