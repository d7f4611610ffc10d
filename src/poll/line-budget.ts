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

/** A group of lines. Some of them were left out. */
export interface LeftOut extends LineGroup {
  readonly lines: number;
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

  /** The groups whose minute has passed and that left lines out. Call it before each line. */
  passed(nowMs: number): LeftOut[] {
    const passed: LeftOut[] = [];
    for (const [key, { group, startMs, lines }] of this.#windows) {
      // The groups are in the order in which their minutes began.
      if (Math.abs(nowMs - startMs) < windowMs) break;
      this.#windows.delete(key);
      if (lines > linesPerWindow) passed.push({ ...group, lines: lines - linesPerWindow });
    }
    return passed;
  }
}
