import { expect, it } from 'vitest';
import { advance as advanceWith } from '../../../src/model/advance.ts';
import type { AnomalyKind, PollFailure, PollSuccess } from '../../../src/model/poll-outcome.ts';
import { maxFailureCodes, maxRecentChanges } from '../../../src/model/record.ts';
import { templateTarget } from '../../support/fake-monitor.ts';
import { advance, newRecord, templateSnapshot } from '../../support/records.ts';

const nowMs = 1_700_000_000_000;
const fresh = newRecord(templateTarget());

function success(version: number, anomalies: readonly AnomalyKind[] = []): PollSuccess {
  return {
    ok: true,
    snapshot: templateSnapshot({
      versions: [1, 2],
      defaultVersion: { version },
    }),
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

it('advance takes the first success as the baseline, without a change', () => {
  const { record, changes } = advance(fresh, success(1), nowMs);

  expect(changes).toEqual([]);
  expect(record.observed.snapshot).toEqual(success(1).snapshot);
  expect(record.observed.freshness).toEqual({
    lastPoll: { atMs: nowMs, durationMs: 20 },
    lastSuccessAtMs: nowMs,
    failure: null,
    polls: 1,
    failures: {},
    anomalies: {},
  });
});

it('advance tells a change with its time and its place, and remembers it', () => {
  const before = advance(fresh, success(1), nowMs).record;

  const { record, changes } = advance(before, success(2), nowMs + 1);

  expect(changes).toEqual([
    {
      kind: 'default-version-changed',
      atMs: nowMs + 1,
      account: 'production',
      region: 'ap-guangzhou',
      operation: 'DescribeLaunchTemplateVersions',
      resource: { template_id: 'lt-b8v1kcyq' },
      quotaType: null,
      zone: null,
      from: 1,
      to: 2,
    },
  ]);
  expect(record.durable.recentChanges).toEqual(changes);
});

it('advance changes nothing but freshness when a poll failed', () => {
  const before = advance(fresh, success(1), nowMs).record;

  const { record, changes } = advance(before, failure('Timeout'), nowMs + 1);

  expect(changes).toEqual([]);
  expect(record.durable).toBe(before.durable);
  expect(record.observed).toEqual({
    ...before.observed,
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

it('advance changes nothing but freshness when an answer has no difference', () => {
  const before = advance(fresh, success(1), nowMs).record;

  const { record, changes } = advance(before, success(1), nowMs + 1);

  expect(changes).toEqual([]);
  expect(record.observed.freshness.lastSuccessAtMs).toBe(nowMs + 1);
  expect(record.durable).toBe(before.durable);
  expect(record.observed.snapshot).toBe(before.observed.snapshot);
});

it('advance takes a comparison that throws for a failed poll', () => {
  const before = advance(fresh, success(1), nowMs).record;
  const rules = {
    compare: () => {
      throw new Error('a bug');
    },
    quotas: () => [],
  };

  const { changes, record } = advanceWith(before, success(2), nowMs + 1, rules);

  expect(changes).toEqual([]);
  expect(record.durable).toBe(before.durable);
  expect(record.observed.snapshot).toBe(before.observed.snapshot);
  expect(record.observed.freshness.failure?.code).toBe('InvalidResponse');
});

it('advance names up to 20 missing parts of an answer, then their number', () => {
  const missing = Array.from({ length: 21 }, (_, i) => `part ${i}`);
  const missingAfter = (count: number) => {
    const snapshot = { ...success(1).snapshot, missing: missing.slice(0, count) };
    return advance(fresh, { ...success(1), snapshot }, nowMs).record.observed.snapshot?.missing;
  };

  expect(missingAfter(20)).toEqual(missing.slice(0, 20));
  expect(missingAfter(21)).toEqual([...missing.slice(0, 20), 'and 1 more']);
});

it('advance keeps the time of the first failure in a row, whatever its code, until a success', () => {
  const outcomes = [failure('Timeout'), failure('HttpStatus'), success(1), failure('Timeout')];

  const since: (number | undefined)[] = [];
  outcomes.reduce((record, outcome, index) => {
    const next = advance(record, outcome, nowMs + index).record;
    since.push(next.observed.freshness.failure?.sinceMs);
    return next;
  }, fresh);

  expect(since).toEqual([nowMs, nowMs, undefined, nowMs + 3]);
});

it('advance counts anomalies by kind', () => {
  const once = advance(fresh, success(1, ['no-default', 'invalid-row', 'invalid-row']), nowMs);

  const twice = advance(once.record, success(1, ['no-default']), nowMs);

  expect(twice.record.observed.freshness.anomalies).toEqual({ 'no-default': 2, 'invalid-row': 2 });
});

it.each(['toString', '__proto__', 'constructor'])(
  'advance counts a failure with the code %s',
  (code) => {
    const once = advance(fresh, failure(code), nowMs).record;

    const twice = advance(once, failure(code), nowMs).record;

    expect(Object.entries(twice.observed.freshness.failures)).toEqual([[code, 2]]);
  },
);

it('advance counts failures by a bounded number of codes, and the rest as Other', () => {
  const codes = Array.from({ length: maxFailureCodes + 3 }, (_, index) => `Code${index}`);

  const { failures } = codes.reduce(
    (record, code) => advance(record, failure(code), nowMs).record,
    fresh,
  ).observed.freshness;

  expect(Object.keys(failures)).toHaveLength(maxFailureCodes + 1);
  expect(failures.Other).toBe(3);
  expect(failures.Code0).toBe(1);
});

it('advance remembers a bounded number of changes, the newest last', () => {
  let record = fresh;
  for (let poll = 0; poll < maxRecentChanges + 10; poll += 1) {
    record = advance(record, success(1 + (poll % 2)), nowMs + poll).record;
  }

  expect(record.durable.recentChanges).toHaveLength(maxRecentChanges);
  expect(record.durable.recentChanges.at(-1)?.atMs).toBe(nowMs + maxRecentChanges + 9);
});

it.each([
  [20, { kind: 'version-created', to: 22 }],
  [25, { kind: 'more-changes', to: 6 }],
])('of the %i changes of one poll, advance names at most 20, and counts others', (count, last) => {
  const versions = Array.from({ length: count }, (_, i) => 3 + i);
  const before = advance(fresh, success(1), nowMs).record;
  const snapshot = templateSnapshot({
    versions: [1, 2, ...versions],
    defaultVersion: { version: 1 },
  });
  const found = { ...success(1), snapshot };

  const { changes, record } = advance(before, found, nowMs + 1);

  expect(changes).toHaveLength(count);
  expect(record.durable.recentChanges).toHaveLength(maxRecentChanges);
  expect(record.durable.recentChanges.at(-1)).toMatchObject(last);
});
