import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { checkReport } from '../../../src/expose/check-report.ts';
import { nagiosOutput } from '../../../src/expose/nagios.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import type { Thresholds } from '../../../src/model/thresholds.ts';
import { quota, quotas, quotaTarget } from '../../support/fake-monitor.ts';
import { answered, defaultThresholds, failed, override } from '../../support/records.ts';

const guangzhou = quotaTarget('production', 'ap-guangzhou');

const judged = (thresholds: Thresholds, ...records: TargetRecord[]) =>
  nagiosOutput(checkReport(records, { thresholds, collectors, planned: [] }));
const output = (...records: TargetRecord[]) => judged(defaultThresholds, ...records);

/** The performance data of the first line, by label. */
function dataOf(text: string): Record<string, string> {
  const [, data = ''] = text.split('\n', 1)[0]!.split(' | ');
  return Object.fromEntries(
    [...data.matchAll(/('(?:[^']|'')+')=(\S+)/g)].map(([, label, value]) => [label!, value!]),
  );
}

test('the output of a Nagios plugin has a range that warns exactly below the threshold', () => {
  const data = dataOf(
    output(
      answered(
        guangzhou,
        quotas(
          quota({ used: 230, limit: 288 }),
          quota({ type: 'image', used: 20, limit: 30, zone: null }),
          quota({ type: 'prepaid', used: 0, limit: 0 }),
          quota({ type: 'spotpaid', used: 9, limit: 5, remaining: -4 }),
        ),
      ),
    ),
  );

  expect(data).toEqual({
    "'production/ap-guangzhou-3/postpaid'": '58;58:;29:;0;288',
    "'production/ap-guangzhou/image'": '10;6:;3:;0;30',
    "'production/ap-guangzhou-3/prepaid'": '0;;;0;0',
    "'production/ap-guangzhou-3/spotpaid'": '-4;1:;1:;0;5',
  });
});

test('the output of a Nagios plugin has the ranges that each quota has, at least 1 for critical, and none for a muted quota', () => {
  const thresholds = {
    warning: { count: 5 },
    critical: { count: 0 },
    overrides: [override({ zones: ['ap-guangzhou-4'] }, null)],
  };
  const quotasOfZones = ['ap-guangzhou-3', 'ap-guangzhou-4'].map((zone) =>
    quota({ used: 0, limit: 9, zone }),
  );

  expect(dataOf(judged(thresholds, answered(guangzhou, quotas(...quotasOfZones))))).toEqual({
    "'production/ap-guangzhou-3/postpaid'": '9;5:;1:;0;9',
    "'production/ap-guangzhou-4/postpaid'": '9;;;0;9',
  });
});

test('the output of a Nagios plugin keeps data in one order, whatever is worst', () => {
  const region = (name: string, used: number) =>
    answered(quotaTarget('a', name), quotas(quota({ used, limit: 100, zone: null })));

  const twoZones = answered(
    guangzhou,
    quotas(quota({ used: 1, limit: 9 }), quota({ used: 9, limit: 9, zone: 'ap-guangzhou-4' })),
  );

  const data = dataOf(output(region('ap-b', 1), region('ap-a', 99), twoZones));

  expect(Object.keys(data)).toEqual([
    "'a/ap-b/postpaid'",
    "'a/ap-a/postpaid'",
    "'production/ap-guangzhou-3/postpaid'",
    "'production/ap-guangzhou-4/postpaid'",
  ]);
});

test('the output of a Nagios plugin has a bar nowhere but before the data, and quotes a quote', () => {
  const text = output(
    answered(guangzhou, quotas(quota({ used: 95, limit: 100, zone: "ap-guangzhou-'|x y" }))),
    failed(quotaTarget('production', 'ap-tokyo'), 'HttpStatus', 'a | b'),
  );

  expect(text.split('|')).toHaveLength(2);
  expect(dataOf(text)).toEqual({
    "'production/ap-guangzhou-''/x_y/postpaid'": '5;20:;10:;0;100',
  });
  expect(text).toContain('a / b');
});

test('the output of a Nagios plugin leaves out whole data and whole lines beyond 8 KiB, and says so', () => {
  const many = Array.from({ length: 300 }, (_, i) =>
    answered(
      quotaTarget('production', `ap-region-${i}`),
      quotas(quota({ used: 99, limit: 100, zone: null })),
    ),
  );

  const text = output(...many);

  const kept = Object.entries(dataOf(text));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_191);
  expect(kept.length).toBeGreaterThan(80);
  expect(new Set(kept.map(([, value]) => value))).toEqual(new Set(['1;20:;10:;0;100']));
  expect(text.split('\n')[1]).toBe(
    `performance data of ${300 - kept.length} quotas left out; divide the check with --account and --region`,
  );
  expect(text.trimEnd().split('\n').at(-1)).toMatch(/^critical .* 1 of 100 +99$/);
  expect(output(...many.slice(0, kept.length + 1)).split('\n')[1]).toMatch(
    /^performance data of 1 quota left out/,
  );
});

test('the output of a Nagios plugin has its whole status, however long, and no bar without data', () => {
  const planned = Array.from({ length: 300 }, (_, i) => quotaTarget(`account-${i}`, 'ap-tokyo'));

  const text = nagiosOutput(
    checkReport([], { thresholds: defaultThresholds, collectors, planned }),
  );

  expect(text).toMatch(/^CVM QUOTA UNKNOWN: .*account-0 .*account-299 watches quotas.*\n$/);
  expect(text).not.toContain('|');
});
