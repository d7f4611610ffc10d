import type { Logger } from '../log.ts';
import type { Taken } from '../model/advance.ts';
import type { Clock } from '../model/clock.ts';
import type { PollOutcome } from '../model/poll-outcome.ts';
import type { Target } from '../model/target.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Logs what polls found: each change, and each difference between two records that a person acts on. A target that
 * goes on failing gets no further line: the metrics show it. If many targets of an account say the same at once, 20
 * lines a minute name their targets, and the others are counted.
 */
export class PollLog {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #budget = new LineBudget();

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** A poll rejected with an error without a code: a bug of this program, so its stack is logged. */
  threw(target: Target, error: unknown): void {
    this.#write('error', 'unexpected error in a poll', target, { err: error });
  }

  /** A poll ended, and its record is published. */
  polled(taken: Taken, { durationMs, ok }: PollOutcome): void {
    const { before, changes, record } = taken;
    const { target } = record;
    this.#logTransitions(taken);
    const { appId } = record.counted;
    if (before.counted.appId !== null && appId !== before.counted.appId) {
      const appIds = { old_app_id: before.counted.appId, new_app_id: appId };
      this.#write('warn', 'another account: the target begins a new baseline', target, appIds);
    }
    for (const { kind, quotaType, zone, from, to } of changes) {
      const difference = { kind, quota_type: quotaType, zone, from, to };
      this.#logger.info('change', { ...describe(target), ...difference });
    }
    this.#logger.debug('polled', () => ({ ...describe(target), ok, duration_ms: durationMs }));
  }

  #logTransitions({ before, record: { seen, target } }: Taken): void {
    const { failure: last } = before.seen.freshness;
    const { failure } = seen.freshness;
    if (failure !== null && failure.code !== last?.code) {
      const { code, message, requestId } = failure;
      const fields = { code, reason: message, request_id: requestId };
      this.#write('warn', 'target is failing', target, fields);
    }
    if (failure === null && last !== null) {
      this.#write('info', 'target recovered', target, { code: last.code });
    }
    const lastMissing = before.seen.snapshot?.missing ?? [];
    const missing = seen.snapshot?.missing ?? [];
    if (missing.length > 0 && lastMissing.length === 0) {
      this.#write('warn', 'answer is incomplete', target, { missing: missing.join('; ') });
    }
    if (missing.length === 0 && lastMissing.length > 0) {
      this.#write('info', 'answer is complete again', target, { missing: lastMissing.join('; ') });
    }
  }

  /** Writes a line about a target, within the budget of those that say the same. */
  #write(
    level: 'info' | 'warn' | 'error',
    event: string,
    target: Target,
    fields: Fields & { readonly code?: string },
  ): void {
    for (const { lines, ...group } of this.#budget.passed(this.#clock.now())) {
      const message = 'log lines left out: many targets have the same problem';
      this.#logger.warn(message, { ...group, lines });
    }
    const group = { event, account: target.account, code: fields.code ?? '' };
    const may = this.#budget.take(group, this.#clock.now());
    if (may === 'no') return;
    this.#logger[level](event, { ...describe(target), ...fields });
    if (may === 'last') {
      this.#logger.warn('many targets say the same; for a minute, more are only counted', group);
    }
  }
}

function describe(target: Target): Record<string, unknown> {
  const { account, region, operation, resource } = target;
  return { account, region, operation, ...resource };
}

const windowMs = 60_000;
const linesPerWindow = 20;

/** Lines with the same values share a budget. */
interface LineGroup {
  readonly event: string;
  readonly account: string;
  readonly code: string;
}

interface Window {
  readonly group: LineGroup;
  readonly startMs: number;
  lines: number;
}

/** Allows 20 lines per group and minute. Remembers only the groups of the present minute. */
class LineBudget {
  readonly #windows = new Map<string, Window>();

  /** Whether a line may be written: `last` when the next ones will be left out. */
  take(group: LineGroup, nowMs: number): 'yes' | 'last' | 'no' {
    const key = `${group.event} ${group.account} ${group.code}`;
    const window = this.#windows.get(key) ?? { group, startMs: nowMs, lines: 0 };
    this.#windows.set(key, window);
    window.lines += 1;
    if (window.lines > linesPerWindow) return 'no';
    return window.lines === linesPerWindow ? 'last' : 'yes';
  }

  /** The groups whose minute has passed, with the number of lines that were left out. Call it before each line. */
  passed(nowMs: number): (LineGroup & { readonly lines: number })[] {
    const ended = [...this.#windows].filter(
      ([, { startMs }]) => Math.abs(nowMs - startMs) >= windowMs,
    );
    for (const [key] of ended) this.#windows.delete(key);
    const all = ended.map(([, { group, lines }]) => ({ ...group, lines: lines - linesPerWindow }));
    return all.filter(({ lines }) => lines > 0);
  }
}
