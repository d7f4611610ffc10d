import { expect, it } from 'vitest';
import { family, snapshotGauge, seconds } from '../../../src/model/metric-family.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import { newRecord, quotaRecord } from '../../support/records.ts';

it('a family is a counter if its name says so; its samples are rows, or a number', () => {
  const rowsOf = (value: number | null) => [{ labels: { row: 1 }, value: value ?? 0 }];
  const own = [
    family('cvm_polls_total', 'Polls.', (value: number | null) => value),
    family('cvm_rows', 'Rows.', rowsOf, ['row']),
  ];

  expect(own).toMatchObject([
    { name: 'cvm_polls_total', type: 'counter', help: 'Polls.', labels: undefined },
    { name: 'cvm_rows', type: 'gauge', help: 'Rows.', labels: ['row'] },
  ]);
  expect(own.flatMap((each) => each.samples(3))).toEqual([
    { labels: {}, value: 3 },
    { labels: { row: 1 }, value: 3 },
  ]);
  expect(own[0]?.samples(null)).toEqual([]);
});

const record = quotaRecord('ap-guangzhou');
it.each<[string, TargetRecord, boolean, number]>([
  ['of a fresh snapshot', record, true, 1],
  ['of a stale one', record, false, 0],
  ['without one', newRecord(record.target), true, 0],
])('a gauge has a sample %s, or none', (_what, of, isFresh, samples) => {
  const gauge = snapshotGauge('cvm_quotas', 'Quotas.', () => 1);

  expect(gauge.samples({ record: of, isFresh })).toHaveLength(samples);
});

it.each([
  [1_500, 1.5],
  [0, 0],
  [null, null],
  [undefined, null],
])('%s milliseconds are %s seconds', (ms, value) => {
  expect(seconds(ms)).toBe(value);
});
