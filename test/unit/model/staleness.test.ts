import { describe, expect, it } from 'vitest';
import { advance, newRecord, quotaRecord } from '../../support/records.ts';
import { clockToleranceMs, isFresh, isUp } from '../../../src/model/staleness.ts';

const record = quotaRecord('ap-guangzhou');
const successMs = record.seen.freshness.lastSuccessAtMs!;
const staleAfterMs = 900_000;

describe('isFresh', () => {
  it.each([
    ['at its success', 0, true],
    ['just before its time is over', staleAfterMs - 1, true],
    ['when its time is over', staleAfterMs, false],
    ['while the clock is a little behind', -clockToleranceMs, true],
    ['when the clock was set back', -clockToleranceMs - 1, false],
  ])('judges a record %s', (_, ageMs, expected) => {
    expect(isFresh(record, successMs + ageMs, staleAfterMs)).toBe(expected);
  });

  it.each([0, successMs])('is false for a target that never succeeded, at %d', (nowMs) => {
    expect(isFresh(newRecord(record.target), nowMs, staleAfterMs)).toBe(false);
  });
});

describe('isUp', () => {
  const failure = {
    ok: false as const,
    code: 'Timeout',
    message: '',
    requestId: null,
    durationMs: 1,
  };
  const failing = advance(record, failure, successMs).record;

  it.each([
    ['that succeeded and is fresh', record, 0, true],
    ['that succeeded and is stale', record, staleAfterMs, false],
    ['that fails while its snapshot is fresh', failing, 0, false],
    ['that was never polled', newRecord(record.target), 0, false],
  ])('judges a target %s', (_, given, ageMs, expected) => {
    expect(isUp(given, successMs + ageMs, staleAfterMs)).toBe(expected);
  });
});
