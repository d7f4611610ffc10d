import { expect, it } from 'vitest';
import { neverPolled } from '../../../src/model/record.ts';
import { targetKey } from '../../../src/model/target.ts';
import { StoredParts } from '../../../src/state/stored-parts.ts';
import { quotaRecord } from '../../helpers/records.ts';

const record = quotaRecord('ap-guangzhou');
const other = quotaRecord('ap-shanghai');

function partsOf(...records: readonly (typeof record)[]) {
  const parts = new StoredParts();
  for (const each of records) parts.note(each);
  return parts;
}
const judge = (parts: StoredParts, each: typeof record) => [
  parts.holds(each),
  parts.holdsCounted(each),
];

it('holds what was noted last of each target, and nothing of others', () => {
  const parts = partsOf(quotaRecord('ap-guangzhou', 9), record);

  expect(judge(parts, record)).toEqual([true, true]);
  expect(judge(parts, quotaRecord('ap-guangzhou', 9))).toEqual([false, false]);
  expect(judge(parts, other)).toEqual([false, false]);
});

it('holds what counts of a record that differs in freshness and gauges', () => {
  const parts = partsOf(record);

  expect(judge(parts, { ...record, freshness: neverPolled, snapshot: null })).toEqual([
    false,
    true,
  ]);
  const trend = { stepMs: 900_000, lastStep: 7, quotas: [] };
  expect(judge(parts, { ...record, freshness: neverPolled, trend })).toEqual([false, true]);
  expect(judge(parts, { ...record, recentChanges: [] })).toEqual([true, true]);
  expect(judge(parts, { ...record, appId: 7 })).toEqual([false, false]);
});

it('forgets the targets that are not kept', () => {
  const parts = partsOf(record, other);

  parts.keepOnly(new Set([targetKey(other.target)]));

  expect(parts.holds(record)).toBe(false);
  expect(parts.holds(other)).toBe(true);
});
