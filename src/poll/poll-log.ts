/** What polls write to the log: `poll-target.ts` calls it after each poll, of the daemon and of `check`. */
import type { Logger } from '../log.ts';
import type { RecordUpdate } from '../model/advance.ts';
import type { PollOutcome } from '../model/poll-outcome.ts';
import type { Target } from '../model/target.ts';

type Fields = Readonly<Record<string, unknown>>;

const windowMs = 60_000;
const linesPerWindow = 20;

/** A minute that begins with the first line of a group: of an account, with the same event and code. */
interface Window {
  /** The lines of the group since then, with those that were left out. */
  lines: number;
  /** Ends the minute, and logs how many lines were left out, if any. */
  readonly end: () => void;
}

/**
 * Logs what polls found: each change, and each difference between two records that a person acts on. A target that
 * goes on failing gets no further line until its code changes: the metrics show it. If many targets of an account say
 * the same at once, 20 lines name their targets, and a line tells the number of the others when the minute has passed.
 */
export class PollLog {
  readonly #logger: Logger;
  /** The windows that run, by event, account and code. */
  readonly #windows = new Map<string, Window>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Ends all windows, so that the log says how many lines were left out. Called when no poll runs any more. */
  close(): void {
    for (const { end } of this.#windows.values()) end();
  }

  /** Logs an error without a code, with its stack: a bug of this program in reading an answer. */
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
    for (const change of changes) {
      const { from, kind, quotaType, to, zone } = change;
      const changed = { quota_type: quotaType ?? undefined, zone: zone ?? undefined };
      this.#logger.info('change', { ...describe(change), kind, ...changed, from, to });
    }
    this.#logger.debug('polled', () => ({ ...describe(target), ok, duration_ms: durationMs }));
  }

  /** Logs that a target begins or ceases to fail, or to answer incompletely. */
  #logTransitions({ before, record: { observed, target } }: RecordUpdate): void {
    const { failure: lastFailure } = before.observed.freshness;
    const { failure } = observed.freshness;
    if (failure !== null && failure.code !== lastFailure?.code) {
      const { code, message, requestId } = failure;
      const fields = { code, reason: message, request_id: requestId };
      this.#write('warn', 'target is failing', target, fields);
    }
    if (failure === null && lastFailure !== null) {
      this.#write('info', 'target recovered', target, { code: lastFailure.code });
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

  /** Writes a line about a target, unless 20 of its group were written in the window. */
  #write(
    level: 'info' | 'warn' | 'error',
    event: string,
    target: Target,
    fields: Fields & { readonly code?: string },
  ): void {
    const group = { event, account: target.account, code: fields.code ?? '' };
    const window = this.#runningWindow(group);
    window.lines += 1;
    if (window.lines <= linesPerWindow)
      this.#logger[level](event, { ...describe(target), ...fields });
  }

  /** Returns the window that runs for a group of lines. Begins one if there is none. */
  #runningWindow(group: Fields): Window {
    const key = Object.values(group).join(' ');
    const running = this.#windows.get(key);
    if (running !== undefined) return running;
    const end = () => {
      clearTimeout(timer);
      this.#windows.delete(key);
      const lines = begun.lines - linesPerWindow;
      const message = 'log lines left out: many targets have the same problem';
      if (lines > 0) this.#logger.warn(message, { ...group, lines });
    };
    const timer = setTimeout(end, windowMs).unref();
    const begun = { lines: 0, end };
    this.#windows.set(key, begun);
    return begun;
  }
}

/** The fields of a line that name a target. */
function describe(target: Target): Record<string, unknown> {
  const { account, region, operation, resource } = target;
  return { account, region, operation, ...resource };
}
