import { collectors } from '../../../../src/collectors/collectors.ts';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { checkReport } from '../../../../src/expose/check-report.ts';
import { checkTable } from '../../../../src/expose/terminal/check-table.ts';
import { plain, styled } from '../../../../src/expose/terminal/style.ts';
import type { TargetRecord } from '../../../../src/model/record.ts';
import {
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../../../helpers/fake-monitor.ts';
import { answered, failed } from '../../../helpers/polled-records.ts';
import { templateSnapshot } from '../../../helpers/snapshots.ts';
import { defaultThresholds, override } from '../../../helpers/thresholds.ts';

const guangzhou = quotaTarget('production', 'ap-guangzhou');
const template = templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq');
const piped = { paint: plain, width: 100, height: Infinity };

const report = (...records: TargetRecord[]) => checkReport(records, defaultThresholds, collectors);

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
    'UnsupportedRegion',
    'The region is not supported.',
  ),
);

describe('the table of a check', () => {
  test('says the verdict first, then the quotas from the worst on, templates and failures', () => {
    expect(checkTable(everything, { ...piped, width: 80 })).toBe(
      `CRITICAL  spotpaid in ap-guangzhou-4 of production: 4 of 199 vcpus left (2 %)
5 quotas: 1 critical, 1 warning, 3 fine; 3 targets polled, 1 failed

STATE     QUOTA                   WHERE                        LEFT  USED  LIMIT
critical  spotpaid vcpus          ap-guangzhou-4  █████████▊    2 %   195    199
warning   image                   ap-guangzhou    █████████░   10 %     9     10
fine      postpaid instances      ap-guangzhou-3  █████▏░░░░   48 %   639  1,250
fine      disaster_recover_group  ap-guangzhou    ░░░░░░░░░░  100 %     0     10
fine      prepaid instances       ap-guangzhou-4                  –     0      0

TEMPLATE     REGION        DEFAULT  LATEST  VERSIONS  DEFAULT RUNS
lt-b8v1kcyq  ap-guangzhou        5      12         4  S5.2XLARGE16 img-8toqc6s3 POSTPAID_BY_HOUR

FAILED  REGION    CODE               MESSAGE
quotas  ap-tokyo  UnsupportedRegion  The region is not supported.
`,
    );
  });

  test('is coloured by severity where colour is wanted, and the same text then', () => {
    const coloured = checkTable(everything, { ...piped, paint: styled });

    expect(coloured).toContain('\u001b[31m█');
    expect(coloured).toContain('\u001b[33m█');
    expect(stripVTControlCharacters(coloured)).toBe(checkTable(everything, piped));
    expect(checkTable(everything, piped)).not.toContain('\u001b');
  });

  test.each([
    [80, 10],
    [90, 20],
    [200, 30],
  ])('of %i characters has bars of %i', (width, barWidth) => {
    const [bar = ''] = /[█▉▊▋▌▍▎▏░]+/.exec(checkTable(everything, { ...piped, width })) ?? [];

    expect(bar).toHaveLength(barWidth);
  });

  test('has no bars where there is no room for them', () => {
    const lines = checkTable(everything, { ...piped, width: 70 }).split('\n');

    expect(lines[4]).toBe('critical  spotpaid vcpus          ap-guangzhou-4    2 %   195    199');
  });

  test('names accounts where there are several', () => {
    const columns = (text: string) => text.split('\n')[3];
    const row = quotas(quota({ used: 1, limit: 10 }));
    const two = report(
      answered(guangzhou, row),
      answered(quotaTarget('staging', 'ap-guangzhou'), row),
    );

    expect(columns(checkTable(everything, piped))).not.toContain('ACCOUNT');
    expect(columns(checkTable(two, piped))).toContain('ACCOUNT');
    expect(checkTable(two, piped)).toMatch(/ap-guangzhou-3 +staging /);
  });

  test('says its verdict again at the end when the first scrolled out of sight', () => {
    const lines = checkTable(everything, piped).split('\n');

    const scrolled = checkTable(everything, { ...piped, height: lines.length - 2 }).split('\n');

    expect(scrolled.slice(0, lines.length)).toEqual(lines);
    expect(scrolled.slice(lines.length)).toEqual([lines[0], lines[1], '']);
  });

  test('names and counts what is muted, and its verdict leaves it out', () => {
    const rows = quotas(
      quota({ used: 10, limit: 10, zone: 'muted' }),
      quota({ used: 5, limit: 10, zone: 'half' }),
      quota({ used: 0, limit: 0, zone: 'none' }),
    );
    const tableWith = (...zones: string[]) =>
      checkTable(
        checkReport(
          [answered(guangzhou, rows)],
          { ...defaultThresholds, overrides: [override({ zones }, null)] },
          collectors,
        ),
        piped,
      );

    expect(tableWith('muted')).toMatch(
      /^FINE {2}50 % or more is left of every quota that is not muted\n3 quotas: 0 critical, 0 warning, 3 fine \(1 muted\); 1 target polled\n/,
    );
    expect(tableWith('muted')).toMatch(/\nmuted +postpaid instances +ap-guangzhou muted +█+ +0 % /);
    expect(tableWith('muted', 'half', 'none')).toMatch(/^FINE {2}every quota is muted\n/);
  });

  test('shows a zone that is not named after its region with both names', () => {
    const odd = report(answered(guangzhou, quotas(quota({ used: 1, limit: 10, zone: 'edge-1' }))));

    expect(checkTable(odd, piped)).toContain(' ap-guangzhou edge-1 ');
  });

  test('says that a default version is unclear when none or several claim to be it', () => {
    const unclear = templateSnapshot({ versions: [1, 2], defaultVersion: null });

    expect(checkTable(report(answered(template, unclear)), piped)).toMatch(
      /lt-b8v1kcyq +ap-guangzhou +unknown +2 +2  unknown\n/,
    );
  });
});

const lacking = (record: TargetRecord, ...missing: string[]): TargetRecord => ({
  ...record,
  seen: { ...record.seen, snapshot: record.seen.snapshot && { ...record.seen.snapshot, missing } },
});
const empty = lacking(answered(guangzhou, quotas()), 'no quota in the answer');
const unread = lacking(answered(template, versions([1, 2], 2)), 'row 3: no version', 'row 4: null');

test('the table of a check names everything that answers lacked, and counts the targets', () => {
  const text = checkTable(report(empty, unread), piped);

  expect(text).toContain('2 targets polled, 2 incomplete\n');
  expect(text).toMatch(/\nINCOMPLETE +REGION +MISSING\n/);
  expect(text).toMatch(/\nquotas +ap-guangzhou +no quota in the answer\n/);
  expect(text).toMatch(/\nlt-b8v1kcyq +ap-guangzhou +row 3: no version\n/);
  expect(text).toMatch(/\nlt-b8v1kcyq +ap-guangzhou +row 4: null\n/);
});

describe('the first line of a check', () => {
  const firstLine = (...records: TargetRecord[]) =>
    checkTable(report(...records), piped).split('\n')[0];
  const refused = failed(quotaTarget('production', 'ap-tokyo'), 'UnsupportedRegion');

  test.each([
    [
      'WARNING  image in ap-guangzhou of production: 1 of 10 images left (10 %)',
      [answered(guangzhou, quotas(quota({ type: 'image', zone: null, used: 9, limit: 10 })))],
    ],
    [
      'FINE  39 % or more is left of every quota',
      [
        answered(
          guangzhou,
          quotas(quota({ used: 0, limit: 0 }), quota({ used: 609, limit: 1_000 })),
        ),
      ],
    ],
    [
      'FINE  no quota has a limit above 0',
      [answered(guangzhou, quotas(quota({ used: 0, limit: 0 })))],
    ],
    [
      'UNKNOWN  1 of 2 targets could not be polled',
      [answered(guangzhou, quotas(quota({ used: 9, limit: 10 }))), refused],
    ],
    ['UNKNOWN  quotas in ap-guangzhou of production: no quota in the answer', [empty]],
    [
      'UNKNOWN  quotas in ap-guangzhou of production: no quota in the answer; 1 more incomplete',
      [empty, unread],
    ],
    [
      'CRITICAL  postpaid in ap-guangzhou-3 of production: overdrawn, 12 of 10 instances in use',
      [answered(guangzhou, quotas(quota({ used: 12, limit: 10 })))],
    ],
    [
      'CRITICAL  postpaid in ap-guangzhou-3 of production: overdrawn, 3 of 0 instances in use',
      [answered(guangzhou, quotas(quota({ used: 3, limit: 0 })))],
    ],
  ])('is "%s"', (line, records) => {
    expect(firstLine(...records)).toBe(line);
  });
});
