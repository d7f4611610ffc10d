/**
 * Decides when a repeating event gets a line in the log: when it begins, when it ends, and once an hour
 * while it goes on. It has memory and no other effect; the time is an argument.
 */

const hourMs = 3_600_000;

/** An episode that comes back within this time has not ended. */
const quietMs = 30 * 60_000;

/**
 * How many variants of a failure an episode logs. Further variants, and changes between variants, are
 * only counted.
 */
const maxVariants = 3;

export interface Note {
  /**
   * `returned`: it ended and came back within half an hour. Its next end is noted only after half an hour
   * without it.
   */
  readonly kind: 'began' | 'varied' | 'returned' | 'continues' | 'ended';
  /** How often it has happened since it began. */
  readonly count: number;
  readonly lastVariant: string;
}

interface Episode {
  lastMs: number;
  notedMs: number;
  count: number;
  lastVariant: string;
  readonly variants: Set<string>;
  isOver: boolean;
  /** Whether it ends only after a quiet time. */
  endsLate: boolean;
}

/** Episodes by key. An episode is kept from its beginning until half an hour after its end. */
export class Episodes {
  readonly #episodes = new Map<string, Episode>();
  readonly #endLate: boolean;

  /** @param options.endLate an episode ends half an hour after the last event, not at the first success */
  constructor({ endLate }: { readonly endLate: boolean }) {
    this.#endLate = endLate;
  }

  /** Call it when the event happened. Returns the note to log, if there is one. */
  happened(key: string, nowMs: number, variant = '', times = 1): Note | null {
    const episode = this.#episodes.get(key);
    if (episode === undefined || (episode.isOver && isApart(nowMs, episode.lastMs, quietMs))) {
      return this.#begin(key, nowMs, variant, times);
    }
    episode.lastMs = nowMs;
    episode.count += times;
    episode.lastVariant = variant;
    if (episode.isOver) {
      episode.isOver = false;
      episode.endsLate = true;
      episode.variants.add(variant);
      return noted(episode, 'returned', nowMs);
    }
    if (!episode.variants.has(variant) && episode.variants.size < maxVariants) {
      episode.variants.add(variant);
      return noted(episode, 'varied', nowMs);
    }
    return hourly(episode, nowMs);
  }

  /** Call it after a success. Returns the note to log, if there is one. */
  calm(key: string, nowMs: number): Note | null {
    const episode = this.#episodes.get(key);
    if (episode === undefined) return null;
    const isQuiet = isApart(nowMs, episode.lastMs, quietMs);
    if (episode.isOver) {
      if (isQuiet) this.#episodes.delete(key);
      return null;
    }
    if (episode.endsLate && !isQuiet) return hourly(episode, nowMs);
    episode.isOver = true;
    return noted(episode, 'ended', nowMs);
  }

  /** Whether an episode goes on, or has ended a short while ago. */
  has(key: string): boolean {
    return this.#episodes.has(key);
  }

  /** Forgets the episodes of keys that are gone. */
  forgetUnless(isKept: (key: string) => boolean): void {
    for (const key of this.#episodes.keys()) {
      if (!isKept(key)) this.#episodes.delete(key);
    }
  }

  #begin(key: string, nowMs: number, variant: string, times: number): Note {
    const episode: Episode = {
      lastMs: nowMs,
      notedMs: nowMs,
      count: times,
      lastVariant: variant,
      variants: new Set([variant]),
      isOver: false,
      endsLate: this.#endLate,
    };
    this.#episodes.set(key, episode);
    return noted(episode, 'began', nowMs);
  }
}

function hourly(episode: Episode, nowMs: number): Note | null {
  return isApart(nowMs, episode.notedMs, hourMs) ? noted(episode, 'continues', nowMs) : null;
}

function noted(episode: Episode, kind: Note['kind'], nowMs: number): Note {
  episode.notedMs = nowMs;
  return { kind, count: episode.count, lastVariant: episode.lastVariant };
}

/** True also if the clock was set back: the log must not stay silent until the clock has caught up. */
function isApart(oneMs: number, otherMs: number, distanceMs: number): boolean {
  return Math.abs(oneMs - otherMs) >= distanceMs;
}
