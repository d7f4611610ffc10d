import { expect, test } from 'vitest';
import { targetState } from '../../../src/model/record.ts';
import { compareRemaining, judgeQuota } from '../../../src/model/thresholds.ts';
import { quota, quotas, quotaTarget } from '../../support/fake-monitor.ts';
import { answered, failed, newRecord } from '../../support/records.ts';

const at = (warning: number, critical: number) => ({ warning, critical });
const muted = null;
const target = quotaTarget('production', 'ap-guangzhou');

test('a quota is critical below a critical threshold that is above the warning', () => {
  expect(judgeQuota(quota({ used: 85, limit: 100 }), at(2, 20)).state).toBe('critical');
});

test('a quota is critical when nothing remains, whatever the thresholds are', () => {
  expect(judgeQuota(quota({ used: 9, limit: 10 }), at(0, 0)).state).toBe('fine');
  expect(judgeQuota(quota({ used: 10, limit: 10 }), at(0, 0))).toMatchObject({
    state: 'critical',
    severityLabels: { severity: 'critical', reason: 'exhausted' },
  });
});

test('a quota without thresholds is muted, unless it is overdrawn', () => {
  const judge = (used: number, limit: number, remaining = limit - used) =>
    judgeQuota(quota({ used, limit, remaining }), muted).state;

  expect([judge(10, 10), judge(0, 0), judge(11, 10), judge(1, 0), judge(11, 10, 3)]).toEqual([
    'muted',
    'none',
    'overdrawn',
    'overdrawn',
    'overdrawn',
  ]);
});

test('the word for a quota goes by what the service says remains, not by what is used', () => {
  const judge = (remaining: number) =>
    judgeQuota(quota({ used: 1, limit: 10, remaining }), at(2, 1));

  expect(judge(0).state).toBe('critical');
  expect(judge(30)).toMatchObject({ state: 'fine', remainingShare: 1 });
});

test('the word for a quota is unknown while its use is', () => {
  const each = { ...quota({ used: 0, limit: 10 }), used: null, remaining: null };

  expect(judgeQuota(each, at(3, 1)).state).toBe('unknown');
});

test('a quota has a severity when less than its threshold remains', () => {
  const wordAt = (remaining: number) =>
    judgeQuota(quota({ used: 100 - remaining, limit: 100 }), at(20, 10)).state;

  expect([20, 19, 10, 9].map(wordAt)).toEqual(['fine', 'low', 'low', 'critical']);
});

test('a quota of which less than nothing remains is overdrawn, whatever is used', () => {
  for (const used of [5, null]) {
    const each = { ...quota({ used: 5, limit: 10, remaining: -1 }), used };
    expect(judgeQuota(each, at(2, 1)).state).toBe('overdrawn');
  }
});

test('the share that remains is unknown without a known rest, and without a limit', () => {
  const shareOf = (fields: { used: number; limit: number; remaining?: number }) =>
    judgeQuota(quota(fields), muted).remainingShare;
  const unknown = { ...quota({ used: 0, limit: 10 }), remaining: null };

  expect(shareOf({ used: 9, limit: 12 })).toBe(0.25);
  expect(shareOf({ used: 0, limit: 0 })).toBeNull();
  expect(judgeQuota(unknown, muted).remainingShare).toBeNull();
});

test('of two quotas, the one with the lower share comes first, of equal ones that with less', () => {
  const judged = (used: number, limit: number) => judgeQuota(quota({ used, limit }), muted);
  const [tenth, half, halfOfMore] = [judged(9, 10), judged(5, 10), judged(100, 200)];
  const none = judged(0, 0);
  const order = [tenth, half, halfOfMore, none];

  for (const [i, a] of order.entries()) {
    for (const [j, b] of order.entries()) {
      expect(Math.sign(compareRemaining(a, b))).toBe(Math.sign(i - j));
    }
  }
});

test.each([
  ['pending', newRecord(target), true],
  ['failing', failed(target, 'Timeout'), true],
  ['failing', failed(target, 'Timeout'), false],
  ['stale', answered(target, quotas()), false],
  ['up', answered(target, quotas()), true],
  ['incomplete', answered(target, { ...quotas(), missing: ['a zone'] }), true],
] as const)('the word for a target is %s', (word, record, isFresh) => {
  expect(targetState(record, isFresh)).toBe(word);
});
