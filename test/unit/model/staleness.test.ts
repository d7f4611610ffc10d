import { expect, it } from 'vitest';
import { clockToleranceMs, isFresh } from '../../../src/model/record.ts';
import { newRecord, quotaRecord } from '../../support/records.ts';

const record = quotaRecord('ap-guangzhou');
const successMs = record.observed.freshness.lastSuccessAtMs!;
const staleAfterMs = 900_000;

it.each([
  ['at its success', 0, true],
  ['just before its time is over', staleAfterMs - 1, true],
  ['when its time is over', staleAfterMs, false],
  ['while the clock is a little behind', -clockToleranceMs, true],
  ['when the clock was set back', -clockToleranceMs - 1, false],
])('isFresh judges a record %s', (_, ageMs, expected) => {
  expect(isFresh(record, successMs + ageMs, staleAfterMs)).toBe(expected);
});

it('isFresh gives a target that is not polled in each cycle the time until its next poll', () => {
  const seldom = { ...record, target: { ...record.target, intervalMs: 60_000 } };

  expect(isFresh(seldom, successMs + staleAfterMs + 59_999, staleAfterMs)).toBe(true);
  expect(isFresh(seldom, successMs + staleAfterMs + 60_000, staleAfterMs)).toBe(false);
});

it.each([0, successMs])('isFresh is false for a target that never succeeded, at %d', (nowMs) => {
  expect(isFresh(newRecord(record.target), nowMs, staleAfterMs)).toBe(false);
});
