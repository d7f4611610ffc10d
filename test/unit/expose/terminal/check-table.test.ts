import { expect, test } from 'vitest';
import { collectors } from '../../../../src/collectors/collectors.ts';
import { checkReport } from '../../../../src/expose/check-report.ts';
import { checkTable } from '../../../../src/expose/terminal/check-table.ts';
import { plain } from '../../../../src/expose/terminal/style.ts';
import { tableLines } from '../../../../src/expose/terminal/table-lines.ts';
import type { TableRow } from '../../../../src/expose/tables/table.ts';
import type { TargetRecord } from '../../../../src/model/record.ts';
import {
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../../../support/fake-monitor.ts';
import { answered, defaultThresholds, failed, override } from '../../../support/records.ts';
import { rowsOf } from '../../../support/rows.ts';

const guangzhou = quotaTarget('production', 'ap-guangzhou');
const template = templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq');
const piped = { paint: plain, width: 100 };
const options = { thresholds: defaultThresholds, collectors, planned: [] };

const report = (...records: TargetRecord[]) => checkReport(records, options);

test('the table of a check has problems, one line for what is fine, and the verdict last', () => {
  const everything = report(
    answered(
      guangzhou,
      quotas(
        quota({ used: 639, limit: 1_250 }),
        quota({ type: 'spotpaid', used: 195, limit: 199, zone: 'ap-guangzhou-4' }),
        quota({ type: 'prepaid', used: 0, limit: 0, zone: 'ap-guangzhou-4' }),
        quota({ type: 'image', used: 9, limit: 10, zone: null }),
        quota({ type: 'disaster_recover_group', used: 0, limit: 10, zone: null }),
      ),
    ),
    answered(template, versions([1, 2, 5, 12], 5)),
    failed(
      quotaTarget('production', 'ap-tokyo'),
      'AuthFailure.SecretIdNotFound',
      'The SecretId is not found.',
    ),
  );

  expect(checkTable(everything, { ...piped, width: 60 })).toBe(
    `STATE     QUOTA           WHERE           LEFT  REMAINING
critical  spotpaid vcpus  ap-guangzhou-4   2 %   4 of 199
  used 195
low       image           ap-guangzhou    10 %    1 of 10
  used 9

STATE    TARGET  REGION
failing  quotas  ap-tokyo
  AuthFailure.SecretIdNotFound; The SecretId is not found.

AuthFailure.SecretIdNotFound of production: the SecretId does not exist: it is misspelled, disabled or deleted; use another key

not shown: 2 targets answered completely, 3 quotas fine, 1 with limit 0 (--all shows them)
CRITICAL  1 quota critical, 1 low: spotpaid in ap-guangzhou-4 of production: 4 of 199 vcpus left (2 %); 1 of 3 targets could not be polled
`,
  );
});

const launchRow = (name: string, ...binds: string[]): TableRow => ({
  state: 'critical',
  cells: [
    { role: 'state', title: 'State', texts: ['blocked'] },
    { role: 'name', title: 'Launch', texts: [name, 'lt-he88kvq1', 'version 12'] },
    { role: 'where', title: 'Where', texts: ['ap-guangzhou-3', ''] },
    { role: 'account', title: 'Account', texts: ['production'] },
    { role: 'detail starts', title: 'Starts', texts: ['S5.2XLARGE16', 'postpaid'] },
    { role: 'figure more', title: 'Room for', texts: ['9 more'] },
    { role: 'lines parts', title: 'What it needs', texts: binds },
  ],
});
const launchRows = [
  launchRow(
    'web-frontend',
    'subnet-he88kvqu: 9 addresses, 12 needed',
    'shared with 12 other templates',
  ),
  launchRow('batch', 'sold out'),
];

test.each(rowsOf<[number, string]>('expose', 'tables-by-width'))(
  'in a terminal of %i columns, what binds a launch stands below it, and nothing wraps',
  (width, text) => {
    const lines = tableLines(launchRows, { paint: plain, width });

    expect(lines.join('\n')).toBe(text);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  },
);

test('a cell without text has a dash, also below its row', () => {
  const cells = launchRow('batch', 'not judged').cells.map((cell) =>
    cell.role === 'detail starts' ? { ...cell, texts: [] } : cell,
  );

  const lines = tableLines([{ cells }], { paint: plain, width: 52 });

  expect(lines.join('\n')).toContain('starts –');
});

test('without a width, each row is one line', () => {
  expect(tableLines(launchRows, { paint: plain, width: 0 })).toHaveLength(3);
});

test('the table of a check names accounts where there are several', () => {
  const row = quotas(quota({ used: 9, limit: 10 }));
  const staging = quotaTarget('staging', 'ap-guangzhou');
  const one = report(answered(guangzhou, row));
  const two = report(answered(guangzhou, row), answered(staging, row));

  expect(checkTable(one, piped)).not.toContain('ACCOUNT');
  expect(checkTable(two, piped)).toMatch(/ap-guangzhou-3 +staging /);
});

test('the table of a check says once for an account what to do about its credentials', () => {
  const refusedIn = (region: string, code = 'AuthFailure.TokenFailure') =>
    failed(quotaTarget('production', region), code);
  const text = checkTable(report(refusedIn('a'), refusedIn('b'), refusedIn('c', 'Timeout')), piped);

  expect(text.match(/^AuthFailure.TokenFailure of production: .*$/gm)).toEqual([
    expect.stringMatching(/^AuthFailure.TokenFailure of production: the token has /),
  ]);
});

test('the table of a check says once for an account which variable is missing', () => {
  const missing = 'the environment variable NO_SUCH is not set: set it where the program starts';
  const of = (region: string) => failed(quotaTarget('production', region), 'Credentials', missing);

  const text = checkTable(report(of('a'), of('b'), of('c')), piped);

  expect(text.match(/NO_SUCH/g)).toHaveLength(1);
  expect(text.match(/^ +Credentials$/gm)).toHaveLength(3);
});

test('the table of a check names what an answer lacked', () => {
  const empty = answered(guangzhou, { ...quotas(), missing: ['row 3: no zone', 'row 4: null'] });

  const text = checkTable(report(empty), piped);

  expect(text).toMatch(/\nincomplete +quotas +ap-guangzhou\n +row 3: no zone; row 4: null\n/);
  expect(text.trimEnd().split('\n').at(-1)).toBe('UNKNOWN  1 of 1 target answered incompletely');
});

const lowImage = quota({ type: 'image', zone: null, used: 9, limit: 10 });
const unlimited = quota({ used: 0, limit: 0 });
const ofQuotas = (...rows: Parameters<typeof quotas>) => answered(guangzhou, quotas(...rows));
const ofTokyo = failed(quotaTarget('production', 'ap-tokyo'), 'UnsupportedRegion');
const imageLeft = 'image in ap-guangzhou of production: 1 of 10 images left (10 %)';

test.each([
  [`WARNING  1 quota low: ${imageLeft}`, [ofQuotas(lowImage)]],
  [
    'FINE  1 quota fine, 1 with limit 0 (39 % or more left)',
    [ofQuotas(unlimited, quota({ used: 609, limit: 1_000 }))],
  ],
  ['FINE  1 quota with limit 0', [ofQuotas(unlimited)]],
  ['FINE  1 quota fine (96 % or more left)', [answered(template, versions([1], 1))]],
  [
    `UNKNOWN  1 of 2 targets could not be polled; 1 quota low: ${imageLeft}`,
    [ofQuotas(lowImage), ofTokyo],
  ],
  [
    'CRITICAL  1 quota overdrawn: postpaid in ap-guangzhou-3 of production: overdrawn, 12 of 10 instances in use',
    [ofQuotas(quota({ used: 12, limit: 10 }))],
  ],
])('the last line of a check is "%s"', (line, records) => {
  const lines = checkTable(report(...records), piped)
    .trimEnd()
    .split('\n');

  expect(lines.at(-1)).toBe(line);
});

test('the last line of a check leaves out what is muted, and counts it', () => {
  const rows = quotas(quota({ used: 10, limit: 10, zone: 'a' }), quota({ used: 5, limit: 10 }));
  const thresholds = { ...defaultThresholds, overrides: [override({ zones: ['a'] }, null)] };

  const text = checkTable(
    checkReport([answered(guangzhou, rows)], { ...options, thresholds }),
    piped,
  );

  expect(text).toContain('FINE  1 quota fine, 1 muted (50 % or more left)\n');
  expect(text).toContain(', 1 quota fine, 1 muted (--all shows them)\n');
});
