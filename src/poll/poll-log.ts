import { messageOf } from '../model/errors.ts';
import type { Logger } from '../log.ts';
import type { Taken } from '../model/advance.ts';
import type { Clock } from '../model/clock.ts';
import { CodedError } from '../model/coded-error.ts';
import type { PollOutcome } from '../model/poll-outcome.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import type { SkipReason } from './cycle-stats.ts';
import { Episodes, type Note } from './episodes.ts';
import { LineBudget } from './line-budget.ts';

type Fields = Readonly<Record<string, unknown>>;

const skipped = {
  overlap:
    'cycle is late: the previous one has not ended; only targets that it finished are polled',
  missed:
    'cycles missed: the process was suspended, the clock was set forward, or no daemon of the cluster could run them',
} as const;

/** The messages about a target, by the kind of note. */
type Messages = Readonly<Record<Note['kind'], string>>;

const failing: Messages = {
  began: 'target is failing',
  varied: 'target is failing',
  returned: 'target is failing again, perhaps intermittently',
  continues: 'target is still failing, perhaps intermittently',
  ended: 'target recovered',
};

const lacking: Messages = {
  began: 'answer is incomplete',
  varied: 'answer is incomplete',
  returned: 'answer is incomplete again, perhaps intermittently',
  continues: 'answer is still incomplete, perhaps intermittently',
  ended: 'answer is complete again',
};

/** The messages about complete answers with parts that were left out. */
const anomalous: Messages = {
  began: 'answer has anomalies',
  varied: 'answer has anomalies',
  returned: 'answer has anomalies again, perhaps intermittently',
  continues: 'answer still has anomalies, perhaps intermittently',
  ended: 'answer is sound again',
};

/**
 * Logs the results of polls. It logs each change. For events that repeat (failures, incomplete answers,
 * anomalies, cycles that do not run), it logs the beginning, the end, and once an hour that the event
 * continues. If many targets of an account report the same at once, 20 lines a minute name their targets, and
 * the others are counted.
 */
export class PollLog {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #failures = new Episodes({ endLate: false });
  readonly #lacks = new Episodes({ endLate: false });
  readonly #anomalies = new Episodes({ endLate: false });
  readonly #mistakes = new Episodes({ endLate: false });
  readonly #skips = new Episodes({ endLate: true });
  readonly #budget = new LineBudget();

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  cycleSkipped(): void {
    this.#skipped('overlap', 1);
  }

  cyclesMissed(runs: number): void {
    this.#skipped('missed', runs);
  }

  /** A poll rejected with an error without a code: a bug of this program, so its stack is logged. */
  pollThrew(target: Target, error: unknown): void {
    if (error instanceof CodedError) return;
    const variant = messageOf(error);
    const note = this.#mistakes.happened(targetKey(target), this.#clock.now(), variant);
    if (note === null) return;
    const fields = { polls: note.count, err: error };
    this.#write('error', 'unexpected error in a poll', target, fields);
  }

  /** A poll ended and `record` took the place of `before`. */
  polled({ before, record, changes }: Taken, outcome: PollOutcome): void {
    this.#tellLeftOut();
    this.#endSkips();
    this.#logFailure(before, record);
    if (outcome.ok) {
      this.#mistakes.calm(targetKey(record.target), this.#clock.now());
      this.#logMissing(before, record.target, outcome.snapshot.missing);
      // The list of missing things already names what an incomplete answer left out.
      if (outcome.snapshot.missing.length === 0) {
        const details = outcome.anomalies.map(({ kind, detail }) => `${kind}: ${detail}`);
        this.#logAnomalies(record.target, details.slice(0, 10).join('; '));
      }
    }
    this.changed({ before, record, changes });
    this.#logger.debug('polled', () => {
      const { durationMs, ok } = outcome;
      return { ...describe(record.target), ok, duration_ms: durationMs };
    });
  }

  /** `record` took the place of `before`, whether a poll of its target ended or not. */
  changed({ before, record, changes }: Taken): void {
    const {
      target,
      counted: { appId },
    } = record;
    if (before.counted.appId !== null && appId !== before.counted.appId) {
      const message = 'another account: the target begins a new baseline';
      const appIds = { old_app_id: before.counted.appId, new_app_id: appId };
      this.#write('warn', message, target, appIds);
    }
    for (const { kind, quotaType, zone, from, to } of changes) {
      const difference = { kind, quota_type: quotaType, zone, from, to };
      this.#logger.info('change', { ...describe(target), ...difference });
    }
  }

  /** Forgets everything about all other targets. */
  keepOnly(targets: readonly Target[]): void {
    const keys = new Set(targets.map(targetKey));
    for (const episodes of [this.#failures, this.#lacks, this.#anomalies, this.#mistakes]) {
      episodes.forgetUnless((key) => keys.has(key));
    }
  }

  #skipped(reason: SkipReason, runs: number): void {
    const note = this.#skips.happened(reason, this.#clock.now(), '', runs);
    if (note !== null) this.#logger.warn(skipped[reason], { reason, runs: note.count });
  }

  #endSkips(): void {
    for (const reason of ['overlap', 'missed'] as const) {
      const note = this.#skips.calm(reason, this.#clock.now());
      if (note === null) continue;
      const fields = { reason, runs: note.count };
      if (note.kind === 'ended') this.#logger.info('cycles run on schedule again', fields);
      else this.#logger.warn(skipped[reason], fields);
    }
  }

  #logFailure(before: TargetRecord, { target, seen: { freshness } }: TargetRecord): void {
    const key = targetKey(target);
    const nowMs = this.#clock.now();
    const { failure } = freshness;
    if (failure !== null) {
      const { code, message, requestId } = failure;
      const note = this.#failures.happened(key, nowMs, code);
      if (note === null) return;
      const fields = { code, reason: message, request_id: requestId, polls: note.count };
      this.#write('warn', failing[note.kind], target, fields);
      return;
    }
    // The last process stored this failure. The first poll of this process ended it.
    const stored = this.#failures.has(key) ? null : before.seen.freshness.failure;
    const note =
      stored === null
        ? this.#failures.calm(key, nowMs)
        : ({ kind: 'ended', count: 0, lastVariant: stored.code } as const);
    if (note === null) return;
    const { kind, count, lastVariant: code } = note;
    const level = kind === 'ended' ? 'info' : 'warn';
    this.#write(level, failing[kind], target, { code, polls: count });
  }

  #logMissing(before: TargetRecord, target: Target, missing: readonly string[]): void {
    const key = targetKey(target);
    const nowMs = this.#clock.now();
    const text = missing.join('; ');
    if (text !== '') {
      const note = this.#lacks.happened(key, nowMs, text);
      if (note === null) return;
      this.#write('warn', lacking[note.kind], target, { missing: text, polls: note.count });
      return;
    }
    // The last process stored these missing things.
    const stored = this.#lacks.has(key) ? '' : (before.seen.snapshot?.missing ?? []).join('; ');
    const note =
      stored === ''
        ? this.#lacks.calm(key, nowMs)
        : ({ kind: 'ended', count: 0, lastVariant: stored } as const);
    if (note === null) return;
    const { kind, count, lastVariant } = note;
    const level = kind === 'ended' ? 'info' : 'warn';
    this.#write(level, lacking[kind], target, { missing: lastVariant, polls: count });
  }

  #logAnomalies(target: Target, details: string): void {
    const key = targetKey(target);
    const nowMs = this.#clock.now();
    const note =
      details === ''
        ? this.#anomalies.calm(key, nowMs)
        : this.#anomalies.happened(key, nowMs, details);
    if (note === null) return;
    const fields = { anomalies: details, polls: note.count };
    this.#write('warn', anomalous[note.kind], target, fields);
  }

  /** Writes a line about a target, within the budget of those that say the same. */
  #write(
    level: 'info' | 'warn' | 'error',
    event: string,
    target: Target,
    fields: Fields & { readonly code?: string },
  ): void {
    this.#tellLeftOut();
    const group = { event, account: target.account, code: fields.code ?? '' };
    const may = this.#budget.take(group, this.#clock.now());
    if (may === 'no') return;
    this.#logger[level](event, { ...describe(target), ...fields });
    if (may === 'last') {
      this.#logger.warn('many targets say the same; for a minute, more are only counted', group);
    }
  }

  #tellLeftOut(): void {
    for (const { lines, ...group } of this.#budget.passed(this.#clock.now())) {
      this.#logger.warn('log lines left out: many targets have the same problem', {
        ...group,
        lines,
      });
    }
  }
}

function describe(target: Target): Record<string, unknown> {
  const { account, region, operation, resource } = target;
  return { account, region, operation, ...resource };
}
