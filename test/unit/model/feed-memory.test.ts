import { expect, test } from 'vitest';
import { heapBytes } from '../../helpers/heap.ts';
import { quotaRecord } from '../../helpers/records.ts';
import { changeOf } from '../../../src/model/change.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import { maxRecentChanges } from '../../../src/model/record.ts';

const targets = 2_000;

/** As a store gives it back. */
function restored(_: unknown, number: number) {
  const record = quotaRecord(`ap-region-${number}`);
  const recentChanges = Array.from({ length: maxRecentChanges }, (_change, i) =>
    changeOf(record.target, number + i, { kind: 'zone-appeared', from: null, to: `zone-${i}` }),
  );
  return { ...record, recentChanges };
}

test('a start keeps nothing about the changes that the feed has no place for', () => {
  const records = Array.from({ length: targets }, restored);
  const published = new PublishedRecords();
  const beforeBytes = heapBytes();

  published.replaceAll(records);

  const bytes = heapBytes() - beforeBytes;
  expect(published.changes().length).toBeLessThan(records.length * maxRecentChanges);
  expect(bytes / (records.length * maxRecentChanges)).toBeLessThan(40);
});
