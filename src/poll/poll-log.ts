import type { Change } from '../model/change.ts';
import { CodedError } from '../model/coded-error.ts';
import type { PollOutcome } from '../model/poll-outcome.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, templateIdOf, type Target } from '../model/target.ts';

type Write = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/** The part of a logger that polling needs. */
export interface PollLogger {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

/**
 * Says in the log what polls found: each change, and of failures and anomalies only their beginning,
 * their turn into something else, and their end.
 */
export class PollLog {
  readonly #logger: PollLogger;
  /** What was last logged as anomalous, by target. */
  readonly #anomalies = new Map<string, string>();

  constructor(logger: PollLogger) {
    this.#logger = logger;
  }

  cycleSkipped(): void {
    this.#logger.warn('cycle skipped: the one before has not ended', { reason: 'overlap' });
  }

  cyclesMissed(runs: number): void {
    this.#logger.warn('cycles missed: the process was suspended', { reason: 'missed', runs });
  }

  /** A poll rejected with something that carries no code: a mistake of ours, worth its stack. */
  pollThrew(target: Target, error: unknown): void {
    if (error instanceof CodedError) return;
    this.#logger.error('unexpected error in a poll', { ...describe(target), err: error });
  }

  /** A poll ended and `record` took the place of `before`. */
  polled(
    before: TargetRecord,
    record: TargetRecord,
    outcome: PollOutcome,
    changes: readonly Change[],
  ): void {
    const fields = describe(record.target);
    this.#logFailure(before, record);
    if (outcome.ok) {
      const details = outcome.anomalies.map(({ kind, detail }) => `${kind}: ${detail}`);
      this.#logAnomalies(record.target, details.slice(0, 10).join('; '));
    }
    this.changed(record, changes);
    this.#logger.debug('polled', { ...fields, ok: outcome.ok, duration_ms: outcome.durationMs });
  }

  changed({ target }: TargetRecord, changes: readonly Change[]): void {
    const fields = describe(target);
    for (const { kind, quotaType, zone, from, to } of changes) {
      this.#logger.info('change', { ...fields, kind, quota_type: quotaType, zone, from, to });
    }
  }

  #logFailure(before: TargetRecord, { target, freshness }: TargetRecord): void {
    const was = before.freshness.failure;
    const is = freshness.failure;
    if (is !== null && is.code !== was?.code) {
      const { code, message, requestId } = is;
      const fields = { ...describe(target), code, reason: message, request_id: requestId };
      this.#logger.warn('target is failing', fields);
    }
    if (is === null && was !== null) {
      this.#logger.info('target recovered', { ...describe(target), code: was.code });
    }
  }

  #logAnomalies(target: Target, details: string): void {
    const key = targetKey(target);
    if (details === (this.#anomalies.get(key) ?? '')) return;
    if (details === '') this.#anomalies.delete(key);
    else this.#anomalies.set(key, details);
    const message = details === '' ? 'answer is sound again' : 'answer has anomalies';
    this.#logger.warn(message, { ...describe(target), anomalies: details });
  }
}

function describe(target: Target): Record<string, unknown> {
  const { account, region, operation } = target;
  const templateId = templateIdOf(target);
  return { account, region, operation, ...(templateId === '' ? {} : { template_id: templateId }) };
}
