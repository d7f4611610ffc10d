/** Values of an emulator that change, and what daemons count of them. */
import { expect } from 'vitest';
import type { Emulator, StateChange } from '../../src/emulator/emulator.ts';
import { setLimit } from './emulator.ts';
import type { Samples } from './exposition.ts';
import type { Random } from './random.ts';

/** A limit of a quota, or the default version of a template. */
interface Value {
  /** As the feed of a daemon names it. */
  readonly what: string;
  readonly account: string;
  readonly region: string;
  readonly change: (random: Random) => void;
  /** How many changes a scrape has of it, in both directions; `null` while it is not shown. */
  readonly counted: (samples: Samples) => number | null;
  /** Whether a scrape has shown the last change. */
  isSettled: boolean;
}

/** Scrapes that a later one may still be older than: the exposition of a daemon is at most a second old. */
interface Scrape {
  readonly endedAtMs: number;
  readonly counts: ReadonlyMap<Value, number>;
}

/** Where a value is. */
interface Place {
  readonly account: string;
  readonly region: string;
}

const whatOf = ({ template_id, quota_type, zone }: StateChange) =>
  template_id ?? `${quota_type}/${zone}`;

const keyOf = ({ account, region, what }: Pick<Value, 'account' | 'region' | 'what'>) =>
  `${account} ${region} ${what}`;

/**
 * Compares what daemons count with the emulator's own list of changes. A value changes only after a scrape has shown
 * its last change: changes that follow each other between two stored polls are one difference, and no list could
 * foresee that.
 */
export class CountedValues {
  readonly #emulator: Emulator;
  readonly #values: readonly Value[];
  readonly #highest = new Map<Value, number>();
  #recent: Scrape[] = [];

  /** The limits of `postpaid` in every zone and the default version of every template, in regions of accounts. */
  constructor(emulator: Emulator, places: readonly Place[]) {
    this.#emulator = emulator;
    this.#values = places.flatMap((place) => [
      ...limits(emulator, place),
      ...defaultVersions(emulator, place),
    ]);
  }

  /**
   * Compares a scrape that has just ended: no daemon counts more than the emulator changed, and no counter is lower than
   * in a scrape that ended a second before this one began.
   */
  observe(samples: Samples, begunAtMs: number): void {
    const made = this.#made();
    const counts = new Map<Value, number>();
    for (const value of this.#values) {
      const counted = value.counted(samples);
      if (counted === null) continue;
      counts.set(value, counted);
      const changes = made.get(keyOf(value)) ?? 0;
      expect(counted, `${keyOf(value)}: more than the emulator changed it`).toBeLessThanOrEqual(
        changes,
      );
      if (counted === changes) value.isSettled = true;
    }
    const isOld = ({ endedAtMs }: Scrape) => endedAtMs + 1_000 <= begunAtMs;
    for (const [value, count] of this.#recent.filter(isOld).flatMap((each) => [...each.counts])) {
      this.#highest.set(value, Math.max(this.#highest.get(value) ?? 0, count));
    }
    this.#recent = this.#recent.filter((each) => !isOld(each));
    this.#recent.push({ endedAtMs: performance.now(), counts });
    for (const [value, count] of counts) {
      const highest = this.#highest.get(value) ?? 0;
      expect(count, `${keyOf(value)}: taken back`).toBeGreaterThanOrEqual(highest);
    }
  }

  /** Changes some of the values whose last change was shown. */
  changeSome(random: Random, share: number): void {
    for (const value of this.#values.filter(({ isSettled }) => isSettled)) {
      if (!random.chance(share)) continue;
      value.change(random);
      value.isSettled = false;
    }
  }

  /** The values that a scrape counts otherwise than the emulator changed them. Nothing may change meanwhile. */
  differences(samples: Samples): readonly string[] {
    const made = this.#made();
    return this.#values.flatMap((value) => {
      const [counted, changes] = [value.counted(samples), made.get(keyOf(value)) ?? 0];
      return counted === changes ? [] : [`${keyOf(value)}: ${counted} of ${changes} changes`];
    });
  }

  #made(): ReadonlyMap<string, number> {
    const made = new Map<string, number>();
    for (const change of this.#emulator.state.changes.list()) {
      const key = keyOf({ ...change, what: whatOf(change) });
      made.set(key, (made.get(key) ?? 0) + 1);
    }
    return made;
  }
}

function limits(emulator: Emulator, place: Place): Value[] {
  const { account, region } = place;
  return emulator.state.region(place).zones.map(({ name: zone }) => ({
    what: `postpaid/${zone}`,
    ...place,
    change: (random: Random) => {
      const { limit } = emulator.state.quota({ ...place, zone, quota_type: 'postpaid' });
      const step = random.pick(limit > 100 ? [-30, -7, 5, 100] : [5, 100]);
      emulator.do({ account, ...setLimit('postpaid', limit + step, region, zone) });
    },
    counted: (samples: Samples) => {
      const labels = { ...place, zone, quota_type: 'postpaid' };
      const found = samples.matching('cvm_quota_limit_changes_total', labels);
      return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0);
    },
    isSettled: false,
  }));
}

function defaultVersions(emulator: Emulator, place: Place): Value[] {
  return emulator.state.region(place).launch_templates.map(({ id: template_id }) => ({
    what: template_id,
    ...place,
    change: (random: Random) => {
      const { versions, default_version } = emulator.state.template({ ...place, template_id });
      const others = versions.filter(({ version }) => version !== default_version);
      const { version } = random.pick(others);
      emulator.do({ do: 'set-default-version', ...place, template_id, version });
    },
    counted: (samples: Samples) =>
      samples.value('cvm_launch_template_default_version_changes_total', {
        ...place,
        template_id,
      }) ?? null,
    isSettled: false,
  }));
}
