/** Bounds the lines of many targets that say the same at once, as when the service is down. */

const windowMs = 60_000;
const linesPerWindow = 20;

/** What lines have in common that share a budget. */
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

/** A group of lines of which some were left out. */
export interface LeftOut extends LineGroup {
  readonly lines: number;
}

/** At most 20 lines of a group a minute. Remembers the groups of the present minute alone. */
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

  /** The groups whose minute has passed, where lines were left out. To be asked before each line. */
  passed(nowMs: number): LeftOut[] {
    const passed: LeftOut[] = [];
    for (const [key, { group, startMs, lines }] of this.#windows) {
      // They are in the order of their beginning.
      if (Math.abs(nowMs - startMs) < windowMs) break;
      this.#windows.delete(key);
      if (lines > linesPerWindow) passed.push({ ...group, lines: lines - linesPerWindow });
    }
    return passed;
  }
}
