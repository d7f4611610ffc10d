/**
 * Bounds the number of log lines when many targets report the same at once, for example because the
 * service is down.
 */

const windowMs = 60_000;
const linesPerWindow = 20;

/** Lines with the same values share a budget. */
export interface LineGroup {
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
export class LineBudget {
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
