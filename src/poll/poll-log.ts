import type { Logger } from '../log.ts';
import type { RecordUpdate } from '../model/advance.ts';
import type { Clock } from '../model/clock.ts';
import type { PollOutcome } from '../model/poll-outcome.ts';
import type { Target } from '../model/target.ts';

type Fields = Readonly<Record<string, unknown>>;

const windowMs = 60_000;
const linesPerWindow = 20;

/** Lines of an account with the same event and code, for a minute from the first of them. */
interface Window {
  readonly group: Fields;
  readonly startMs: number;
  lines: number;
}

/**
 * Logs what polls found: each change, and each difference between two records that a person acts on. A target that
 * goes on failing gets no further line until its code changes: the metrics show it. If many targets of an account say the same at once, 20
 * lines a minute name their targets, and the others are counted.
 */
export class PollLog {
  readonly #logger: Logger;
  readonly #clock: Clock;
  /** By event, account and code. */
  readonly #windows = new Map<string, Window>();

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** Logs the stack of an error without a code: a bug of this program in reading an answer. */
  threw(target: Target, error: unknown): void {
    this.#write('error', 'unexpected error in a poll', target, { err: error });
  }

  /** Logs what an ended poll found, once its record is published. */
  polled(update: RecordUpdate, { durationMs, ok }: PollOutcome): void {
    const { before, changes, record } = update;
    const { target } = record;
    this.#logTransitions(update);
    const { appId } = record.durable;
    if (before.durable.appId !== null && appId !== before.durable.appId) {
      const appIds = { old_app_id: before.durable.appId, new_app_id: appId };
      this.#write('warn', 'another account: the target begins a new baseline', target, appIds);
    }
    for (const { kind, quotaType, zone, from, to } of changes) {
      const difference = { kind, quota_type: quotaType, zone, from, to };
      this.#logger.info('change', { ...describe(target), ...difference });
    }
    this.#logger.debug('polled', () => ({ ...describe(target), ok, duration_ms: durationMs }));
  }

  /** Logs that a target begins or ceases to fail, or to answer incompletely. */
  #logTransitions({ before, record: { observed, target } }: RecordUpdate): void {
    const { failure: last } = before.observed.freshness;
    const { failure } = observed.freshness;
    if (failure !== null && failure.code !== last?.code) {
      const { code, message, requestId } = failure;
      const fields = { code, reason: message, request_id: requestId };
      this.#write('warn', 'target is failing', target, fields);
    }
    if (failure === null && last !== null) {
      this.#write('info', 'target recovered', target, { code: last.code });
    }
    const lastMissing = before.observed.snapshot?.missing ?? [];
    const missing = observed.snapshot?.missing ?? [];
    if (missing.length > 0 && lastMissing.length === 0) {
      this.#write('warn', 'answer is incomplete', target, { missing: missing.join('; ') });
    }
    if (missing.length === 0 && lastMissing.length > 0) {
      this.#write('info', 'answer is complete again', target, { missing: lastMissing.join('; ') });
    }
  }

  /** Writes a line about a target, unless too many said the same in the last minute. */
  #write(
    level: 'info' | 'warn' | 'error',
    event: string,
    target: Target,
    fields: Fields & { readonly code?: string },
  ): void {
    this.#logSuppressed();
    const group = { event, account: target.account, code: fields.code ?? '' };
    const key = Object.values(group).join(' ');
    const window = this.#windows.get(key) ?? { group, startMs: this.#clock.now(), lines: 0 };
    this.#windows.set(key, window);
    window.lines += 1;
    if (window.lines > linesPerWindow) return;
    this.#logger[level](event, { ...describe(target), ...fields });
    if (window.lines === linesPerWindow) {
      this.#logger.warn('many targets say the same; for a minute, more are only counted', group);
    }
  }

  /** Ends the windows whose minute has passed, and logs how many lines they left out. */
  #logSuppressed(): void {
    for (const [key, { group, lines, startMs }] of this.#windows) {
      if (Math.abs(this.#clock.now() - startMs) < windowMs) continue;
      this.#windows.delete(key);
      if (lines <= linesPerWindow) continue;
      const message = 'log lines left out: many targets have the same problem';
      this.#logger.warn(message, { ...group, lines: lines - linesPerWindow });
    }
  }
}

function describe(target: Target): Record<string, unknown> {
  const { account, region, operation, resource } = target;
  return { account, region, operation, ...resource };
}
