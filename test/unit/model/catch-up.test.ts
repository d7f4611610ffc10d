import { describe, expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { catchUp as catchUpWith } from '../../../src/model/catch-up.ts';
import type { PollFailure, PollOutcome } from '../../../src/model/poll-outcome.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import { advance, newRecord } from '../../helpers/advance.ts';
import { quotaRecord } from '../../helpers/records.ts';

const stored = quotaRecord('ap-guangzhou', 250);
const never = newRecord(stored.target);
const storedAtMs = stored.seen.freshness.lastSuccessAtMs!;

const catchUp = (before: TargetRecord | undefined, shown: TargetRecord) =>
  catchUpWith(before, shown, collectors.of(shown.target));

const failure: PollFailure = {
  ok: false,
  code: 'Timeout',
  message: 'no answer',
  requestId: null,
  durationMs: 5,
};
/** The first poll of this process, which knew no stored record. */
const polled = (limit: number, nowMs: number) =>
  advance(
    never,
    {
      ok: true,
      snapshot: quotaRecord('ap-guangzhou', limit).seen.snapshot!,
      anomalies: [{ kind: 'invalid-row', detail: 'a row' }],
      durationMs: 5,
    },
    nowMs,
  ).record;

it('counts the changes since the first poll where the storage turns out to hold no record', () => {
  const first = polled(250, storedAtMs);
  const snapshot = quotaRecord('ap-guangzhou', 300).seen.snapshot!;
  const second: PollOutcome = { ok: true, snapshot, anomalies: [], durationMs: 5 };
  const { record, changes } = advance(first, second, storedAtMs + 60_000);

  expect(changes).toMatchObject([{ kind: 'quota-limit-raised', from: 250, to: 300 }]);
  expect(catchUp(undefined, record)).toEqual({ record, changes });
});

describe('a stored record that is read late', () => {
  it('is the record of a target that was not polled yet', () => {
    expect(catchUp(stored, never)).toEqual({ record: stored, changes: [] });
  });

  it('keeps its answer while every poll failed, and shows the failure', () => {
    const shown = advance(never, failure, storedAtMs + 60_000).record;

    expect(catchUp(stored, shown)).toEqual({
      record: {
        ...stored,
        freshness: { ...shown.seen.freshness, lastSuccessAtMs: storedAtMs },
      },
      changes: [],
    });
  });

  it('is compared with the last answer, at the time of that answer', () => {
    const answered = polled(300, storedAtMs + 60_000);
    const shown = advance(answered, failure, storedAtMs + 120_000).record;

    const { record, changes } = catchUp(stored, shown);

    expect(changes).toMatchObject([
      { kind: 'quota-limit-raised', from: 250, to: 300, atMs: storedAtMs + 60_000 },
    ]);
    expect(record).toMatchObject({
      snapshot: shown.seen.snapshot,
      limits: [{ limit: 300, raised: 1 }],
      recentChanges: changes,
    });
    expect(record.seen.freshness).toEqual(shown.seen.freshness);
  });

  it('of another account is not compared, also if only an earlier answer named the account', () => {
    const { snapshot } = quotaRecord('ap-guangzhou', 300).seen;
    const answers = [7, null].map((appId): PollOutcome => {
      return { ok: true, snapshot: { ...snapshot!, appId }, anomalies: [], durationMs: 5 };
    });
    const shown = answers.reduce((record, each) => advance(record, each, storedAtMs).record, never);

    const { record, changes } = catchUp(stored, shown);

    expect(changes).toEqual([]);
    expect(record).toMatchObject({ appId: 7, limits: [{ limit: 300, raised: 0 }] });
  });

  it('changes nothing when the last answer says the same', () => {
    const shown = polled(250, storedAtMs + 60_000);

    expect(catchUp(stored, shown)).toEqual({
      record: { ...stored, freshness: shown.seen.freshness },
      changes: [],
    });
  });
});
