import { versions } from '../../helpers/fake-monitor.ts';
import type { QuotaTarget } from '../../../src/collectors/quota/target.ts';
import { describe, expect, it } from 'vitest';
import { advance } from '../../helpers/advance.ts';
import type { AnomalyKind, PollFailure, PollSuccess } from '../../../src/model/poll-outcome.ts';
import { maxFailureCodes, maxRecentChanges } from '../../../src/model/record.ts';
import { newRecord } from '../../helpers/advance.ts';

const nowMs = 1_700_000_000_000;
const fresh = newRecord({
  operation: 'DescribeLaunchTemplateVersions',
  account: 'production',
  region: 'ap-guangzhou',
  resource: { template_id: 'lt-b8v1kcyq' },
});

function success(version: number, anomalies: readonly AnomalyKind[] = []): PollSuccess {
  return {
    ok: true,
    snapshot: versions([1, 2], version),
    anomalies: anomalies.map((kind) => ({ kind, detail: 'a row' })),
    durationMs: 20,
  };
}

const failure = (code: string): PollFailure => ({
  ok: false,
  code,
  message: 'it failed',
  requestId: 'b2da6ace',
  durationMs: 30,
});

describe('advance', () => {
  it('takes the first success as the baseline, without a change', () => {
    const { record, changes } = advance(fresh, success(1), nowMs);

    expect(changes).toEqual([]);
    expect(record.snapshot).toEqual(success(1).snapshot);
    expect(record.freshness).toEqual({
      lastPoll: { atMs: nowMs, durationMs: 20 },
      lastSuccessAtMs: nowMs,
      failure: null,
      polls: 1,
      failures: {},
      anomalies: {},
    });
  });

  it('tells a change with its time and its place, and remembers it', () => {
    const before = advance(fresh, success(1), nowMs).record;

    const { record, changes } = advance(before, success(2), nowMs + 1);

    expect(changes).toEqual([
      {
        kind: 'default-version-changed',
        atMs: nowMs + 1,
        account: 'production',
        region: 'ap-guangzhou',
        resource: { template_id: 'lt-b8v1kcyq' },
        quotaType: null,
        zone: null,
        from: 1,
        to: 2,
      },
    ]);
    expect(record.recentChanges).toEqual(changes);
  });

  it('changes nothing but freshness when a poll failed', () => {
    const before = advance(fresh, success(1), nowMs).record;

    const { record, changes } = advance(before, failure('Timeout'), nowMs + 1);

    expect(changes).toEqual([]);
    expect(record).toEqual({
      ...before,
      freshness: {
        lastPoll: { atMs: nowMs + 1, durationMs: 30 },
        lastSuccessAtMs: nowMs,
        failure: {
          code: 'Timeout',
          message: 'it failed',
          requestId: 'b2da6ace',
          sinceMs: nowMs + 1,
        },
        polls: 2,
        failures: { Timeout: 1 },
        anomalies: {},
      },
    });
  });

  it('keeps the time of the first failure in a row, whatever its code, until a success', () => {
    const outcomes = [failure('Timeout'), failure('HttpStatus'), success(1), failure('Timeout')];

    const since: (number | undefined)[] = [];
    outcomes.reduce((record, outcome, index) => {
      const next = advance(record, outcome, nowMs + index).record;
      since.push(next.freshness.failure?.sinceMs);
      return next;
    }, fresh);

    expect(since).toEqual([nowMs, nowMs, undefined, nowMs + 3]);
  });

  it('counts anomalies by kind', () => {
    const once = advance(fresh, success(1, ['no-default', 'invalid-row', 'invalid-row']), nowMs);

    const twice = advance(once.record, success(1, ['no-default']), nowMs);

    expect(twice.record.freshness.anomalies).toEqual({ 'no-default': 2, 'invalid-row': 2 });
  });

  it.each(['toString', '__proto__', 'constructor'])('counts a failure with the code %s', (code) => {
    const once = advance(fresh, failure(code), nowMs).record;

    const twice = advance(once, failure(code), nowMs).record;

    expect(Object.entries(twice.freshness.failures)).toEqual([[code, 2]]);
  });

  it('counts failures by a bounded number of codes, and the rest as Other', () => {
    const codes = Array.from({ length: maxFailureCodes + 3 }, (_, index) => `Code${index}`);

    const { failures } = codes.reduce(
      (record, code) => advance(record, failure(code), nowMs).record,
      fresh,
    ).freshness;

    expect(Object.keys(failures)).toHaveLength(maxFailureCodes + 1);
    expect(failures.Other).toBe(3);
    expect(failures.Code0).toBe(1);
  });

  it('remembers a bounded number of changes, the newest last', () => {
    let record = fresh;
    for (let poll = 0; poll < maxRecentChanges + 10; poll += 1) {
      record = advance(record, success(1 + (poll % 2)), nowMs + poll).record;
    }

    expect(record.recentChanges).toHaveLength(maxRecentChanges);
    expect(record.recentChanges.at(-1)?.atMs).toBe(nowMs + maxRecentChanges + 9);
  });

  it('refuses the snapshot of another kind of target', () => {
    const target: QuotaTarget = {
      operation: 'DescribeAccountQuota',
      account: 'production',
      region: 'ap-guangzhou',
      selection: { quotaTypes: ['image'], zones: null },
    };

    expect(() => advance(newRecord(target), success(1), nowMs)).toThrow('another kind');
  });
});
