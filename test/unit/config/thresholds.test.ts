import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { thresholdText } from '../../../src/model/thresholds.ts';
import { problemsOf } from '../../support/config-problems.ts';
import { override } from '../../support/records.ts';

const accounts = 'accounts: [{ name: a, regions: [ap-x] }]';
const parse = (thresholds: string, timezone = 'Etc/UTC') =>
  parseConfig(
    `poll: { timezone: ${timezone} }\nthresholds: ${thresholds}\n${accounts}`,
    'f',
    collectors,
  ).thresholds;
const problems = (thresholds: string) => problemsOf(`thresholds: ${thresholds}\n${accounts}`);

const pair = (warning: number, critical: number) => ({
  warning: { count: warning },
  critical: { count: critical },
});

test.each([
  ['{}', '20%', '10%'],
  ['{ warning: 30% }', '30%', '10%'],
  ['{ warning: 12.5%, critical: 0% }', '12.5%', '0%'],
  ['{ warning: 5, critical: 0 }', '5', '0'],
  ['{ warning: 5, critical: 10% }', '5', '10%'],
  ['{ warning: 1%, critical: 10 }', '1%', '10'],
])('thresholds of %s are %s and %s', (text, warning, critical) => {
  const thresholds = parse(text);

  expect(thresholdText(thresholds.warning)).toBe(warning);
  expect(thresholdText(thresholds.critical)).toBe(critical);
});

const expected =
  'expected a share such as 20%, or a whole number such as 5; a fraction such as 0.2 could mean either';
test.each([
  ['a fraction', '{ warning: 0.2 }', `1:24: thresholds.warning: ${expected}`],
  ['a fraction in quotes', '{ critical: "0.1" }', `1:25: thresholds.critical: ${expected}`],
  ['a count in quotes', '{ critical: "5" }', `1:25: thresholds.critical: ${expected}`],
  ['a list', '{ critical: [5] }', `1:25: thresholds.critical: ${expected}, found a list`],
  ['a negative count', '{ critical: -1 }', '1:25: thresholds.critical: must be at least 0'],
  ['more than all', '{ warning: 101% }', '1:24: thresholds.warning: must be at most 100%'],
  [
    'a critical threshold above the warning',
    '{ critical: 21% }',
    '1:25: thresholds.critical: is above warning',
  ],
  [
    'a critical threshold above the warning, once beside a mute',
    '{ critical: 21%, overrides: [{ muted: true }] }',
    '1:25: thresholds.critical: is above warning',
  ],
  [
    'a critical count above the warning',
    '{ warning: 1, critical: 2 }',
    '1:37: thresholds.critical: is above warning',
  ],
])('thresholds refuse %s', (_what, text, problem) => {
  expect(problems(text)).toEqual([problem]);
});

test('overrides have a filter, thresholds or a mute, and an end', () => {
  const { overrides } = parse(`
  overrides:
    - { quota_types: [image], warning: 2, critical: 1 }
    - { accounts: [sandbox], muted: true, until: 2026-12-31 }
    - { regions: [ap-x], zones: [ap-x-1], warning: 5, critical: 0 }`);

  expect(overrides).toEqual([
    override({ quotaTypes: ['image'] }, pair(2, 1)),
    override({ accounts: ['sandbox'] }, null, Date.UTC(2027, 0, 1)),
    override({ regions: ['ap-x'], zones: ['ap-x-1'] }, pair(5, 0)),
  ]);
});

test('overrides last until the end of their last day, in the time zone of the schedule', () => {
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

test.each([
  ['nothing', '{ regions: [ap-x] }', ': changes nothing: set warning, critical, or muted: true'],
  [
    'a mute that is none',
    '{ muted: false }',
    ': changes nothing: set warning, critical, or muted: true',
  ],
  ['a muted warning', '{ muted: true, warning: 5 }', '.warning: a muted quota has no thresholds'],
  [
    'a muted critical',
    '{ muted: true, critical: 5 }',
    '.critical: a muted quota has no thresholds',
  ],
  [
    'a warning below the general critical',
    '{ warning: 9% }',
    '.warning: is below thresholds.critical, which applies too: set critical',
  ],
  ['a critical above the general warning', '{ critical: 21% }', '.critical: is above warning'],
  [
    'a critical above its own warning',
    '{ warning: 3, critical: 4 }',
    '.critical: is above warning',
  ],
  [
    'a day that does not exist',
    '{ muted: true, until: 2026-02-30 }',
    '.until: expected a date such as 2026-12-31',
  ],
  [
    'a time',
    '{ muted: true, until: 2026-02-03T10:00:00Z }',
    '.until: expected a date such as 2026-12-31',
  ],
  [
    'an unknown key',
    '{ muted: true, region: [ap-x] }',
    '.region: unknown key; did you mean regions?',
  ],
  [
    'an empty list',
    '{ muted: true, zones: [] }',
    '.zones: name at least one zone, or omit the key for every zone',
  ],
  [
    'a name twice',
    '{ muted: true, accounts: [a, a] }',
    '.accounts[1]: the account a is in the list twice',
  ],
])('overrides refuse %s', (_what, text, problem) => {
  const [found, ...others] = problems(`{ overrides: [${text}] }`);

  expect(found?.replace(/^\d+:\d+: thresholds\.overrides\[0\]/, '')).toBe(problem);
  expect(others).toEqual([]);
});
