import { expect, test } from 'vitest';
import { isInShard, parseShard } from '../../../../src/expose/metrics/record-samples.ts';

test('a part of the accounts is written as its number from 0, and the number of parts', () => {
  expect(parseShard('0/4')).toEqual({ index: 0, count: 4 });
  expect(parseShard('3/4')).toEqual({ index: 3, count: 4 });
  expect(parseShard('0/1')).toEqual({ index: 0, count: 1 });
});

test.each(['4/4', '0/0', 'x', '', '1', '1/', '/4', '-1/4', '1/4.0', '1/4 ', '0/1001', '0/99999'])(
  'a part of the accounts is not %o',
  (text) => {
    expect(parseShard(text)).toBeNull();
  },
);

test('a part of the accounts has each account in exactly one of the parts, and about as many as each other part', () => {
  const accounts = Array.from({ length: 1_000 }, (_, i) => `account-${i}`);
  const parts = [0, 1, 2, 3].map((index) =>
    accounts.filter((account) => isInShard(account, { index, count: 4 })),
  );

  expect(parts.flat().toSorted()).toEqual(accounts.toSorted());
  for (const { length } of parts) {
    expect(length).toBeGreaterThan(200);
    expect(length).toBeLessThan(300);
  }
});

test('a part of the accounts is the same for each daemon and each version: another part would show a counter again', () => {
  const partOf = (account: string) =>
    [0, 1, 2, 3].find((index) => isInShard(account, { index, count: 4 }));

  expect(['production', 'staging', 'sandbox', 'zürich'].map(partOf)).toEqual([0, 1, 3, 2]);
});
