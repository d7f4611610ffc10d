/** A target of the program that a test polls with answers of its own, as the daemon does. */
import { expect } from 'vitest';
import type { Ask, RegionSettings } from '../../src/collectors/collector.ts';
import { collectors } from '../../src/collectors/collectors.ts';
import { advance } from '../../src/model/advance.ts';
import { CodedError } from '../../src/model/coded-error.ts';
import { anomalyKinds, type PollOutcome } from '../../src/model/poll-outcome.ts';
import { continueRecord, type TargetRecord } from '../../src/model/record.ts';
import type { Target } from '../../src/model/target.ts';
import { formatRecord, parseRecord } from '../../src/storage/record-file.ts';
import { asStored, newRecord } from './records.ts';

/** The targets of a kind after these records. */
export function plannedBy(
  operation: string,
  settings: Omit<RegionSettings, 'target' | 'site'> & Partial<RegionSettings>,
  records: readonly TargetRecord[] = [],
): readonly Target[] {
  const target = { account: 'production', region: 'ap-guangzhou', operation };
  const facts = records.map((record) => collectors.launchFacts(record, true));
  return collectors
    .of({ operation })
    .plan({ target, site: 'domestic', ...settings }, facts, records);
}

/** What one poll did to the record. */
export interface Polled {
  /** Such as `version-deleted 3 → none`. */
  readonly changes: readonly string[];
  /** `null` for a success. */
  readonly code: string | null;
  readonly missing: readonly string[];
}

export class PolledTarget {
  record: TargetRecord;
  nowMs = Date.UTC(2026, 1, 3);
  /** Answers each request, instead of a list of answers. */
  answer: ((parameters: Readonly<Record<string, string>>) => object) | null = null;
  /** The parameters of every request. */
  readonly requests: Readonly<Record<string, string>>[] = [];

  constructor(target: Target) {
    this.record = newRecord(target);
  }

  /** The target has another selection from now on. */
  select(target: Target): void {
    this.record = continueRecord(this.record, target, collectors.of(target));
  }

  /** The changes of each of several polls, which have one answer each. */
  async changesOf(answers: readonly object[]): Promise<(readonly string[])[]> {
    const found: (readonly string[])[] = [];
    for (const answer of answers) found.push((await this.poll(answer)).changes);
    return found;
  }

  /** Polls a minute later. The record is the same after it was stored. @param answers of the requests in their order; the last one answers all others */
  async poll(...answers: readonly object[]): Promise<Polled> {
    this.nowMs += 60_000;
    const { target } = this.record;
    const collector = collectors.of(target);
    let next = 0;
    const ask: Ask = async (pairs, read) => {
      const parameters = Object.fromEntries(pairs);
      this.requests.push(parameters);
      const fields = this.answer?.(parameters) ?? answers[Math.min(next, answers.length - 1)];
      next += 1;
      return Promise.resolve(read({ fields, requestId: 'b2da6ace' }));
    };
    let outcome: PollOutcome;
    try {
      outcome = {
        ok: true,
        durationMs: 1,
        ...(await collector.poll(ask, this.record, this.nowMs)),
      };
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      const { code, message, requestId } = error;
      outcome = { ok: false, durationMs: 1, code, message, requestId };
    }
    const { changes, record } = advance(this.record, outcome, this.nowMs, collector);
    this.record = record;
    if (outcome.ok)
      expect(anomalyKinds).toEqual(
        expect.arrayContaining(outcome.anomalies.map(({ kind }) => kind)),
      );
    else if (outcome.code === 'InvalidResponse') expect(outcome.requestId).toBe('b2da6ace');
    expect(parseRecord(formatRecord(record), collectors, 'a.json')).toEqual(asStored(record));
    return {
      changes: changes.map(({ kind, from, to }) => `${kind} ${from ?? 'none'} → ${to ?? 'none'}`),
      code: outcome.ok ? null : outcome.code,
      missing: record.observed.snapshot?.missing ?? [],
    };
  }

  /** The values of the record's own metrics, by their names and labels. */
  metrics(isFresh = true): Readonly<Record<string, number>> {
    const { record } = this;
    const { families } = collectors.of(record.target);
    return Object.fromEntries(
      families.flatMap(({ name, ...family }) =>
        family.samples({ record, isFresh }).map(({ labels, value }) => {
          const text = Object.values(labels).join(' ');
          return [text === '' ? name : `${name} ${text}`, value];
        }),
      ),
    );
  }
}
