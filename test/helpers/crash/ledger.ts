/** The bookkeeping of the crash tests: which changes are owed, and which the daemon has counted. */
import type { Emulator, StateChange } from '../../../src/emulator/emulator.ts';
import type { Random } from '../random.ts';
import type { Sample, Samples } from '../samples.ts';
import { flippingValues, steadyValues, type FlippingValue, type WatchedValue } from './values.ts';
import { templateIds } from './world.ts';

/** How often a value was changed in one way, by `kind region what`. */
type Counts = ReadonlyMap<string, number>;

/**
 * Changes values of the emulator and checks what scrapes say of it. A steady value is changed again
 * only after a scrape has shown its present state: what was scraped is promised to be stored, so each
 * of its changes is owed exactly once, whenever the daemon was killed. A flipping value is changed at
 * any time: a poll may miss an excursion, but nothing of it may be counted by half.
 */
export class Ledger {
  /** What is wrong, in words. */
  readonly differences: string[] = [];
  readonly #emulator: Emulator;
  readonly #steady: readonly WatchedValue[];
  readonly #flipping: readonly FlippingValue[];
  /** Steady values that a scrape has shown as they are. */
  readonly #settled = new Set<WatchedValue>();
  /** Flipping values of which the daemon has a baseline. */
  readonly #known = new Set<FlippingValue>();
  /** What scrapes have shown; counters are absent until their target was attempted. */
  readonly #highest = new Map<string, number>();

  constructor(emulator: Emulator) {
    this.#emulator = emulator;
    this.#steady = steadyValues(emulator);
    this.#flipping = flippingValues(emulator);
  }

  /** Takes note of a scrape: what it shows may change again, and what it counts must never fall. */
  observe(samples: Samples): void {
    for (const value of this.#steady) {
      if (value.isShownIn(samples)) this.#settled.add(value);
    }
    for (const value of this.#flipping) {
      if (value.isShownIn(samples)) this.#known.add(value);
    }
    const counts = countsOf(samples);
    for (const [key, count] of counts) {
      const highest = this.#highest.get(key) ?? 0;
      if (count < highest) this.differences.push(`${key}: fell from ${highest} to ${count}`);
      this.#highest.set(key, count);
    }
  }

  /** Changes some of what may be changed. */
  changeSome(random: Random): void {
    for (const value of this.#settled) {
      if (!random.chance(0.4)) continue;
      value.change(random);
      this.#settled.delete(value);
    }
    for (const value of this.#known) if (random.chance(0.3)) value.change(random);
  }

  /** Returns every flipping value to its usual state, which ends the last excursion. */
  rest(): void {
    for (const value of this.#flipping) value.rest();
  }

  /** Compares a scrape, made when all has come to rest, with the emulator's own list of changes. */
  compare(samples: Samples): void {
    const { changes } = this.#emulator.state;
    const owed = tally(changes);
    if (changes.list().length < changes.total) this.differences.push('the emulator forgot changes');
    const counted = countsOf(samples);
    for (const key of new Set([...owed.keys(), ...counted.keys()])) {
      const problem = isFlipping(key)
        ? flippingProblem(key, owed, counted)
        : steadyProblem(key, owed, counted);
      if (problem !== null) this.differences.push(`${key}: ${problem}`);
    }
  }
}

function steadyProblem(key: string, owed: Counts, counted: Counts): string | null {
  const [is, mustBe] = [counted.get(key), owed.get(key) ?? 0];
  return is === mustBe ? null : `counted ${is ?? 'not at all'}, owed ${mustBe}`;
}

/** There and back count together or not at all, and never more often than it happened. */
function flippingProblem(key: string, owed: Counts, counted: Counts): string | null {
  const [is, atMost] = [counted.get(key) ?? 0, owed.get(key) ?? 0];
  if (is > atMost) return `counted ${is}, happened ${atMost}`;
  if (key.startsWith('default-version-changed')) return is % 2 === 0 ? null : `odd: ${is}`;
  const back = counted.get(key.replace('raised', 'lowered')) ?? 0;
  return !key.startsWith('quota-limit-raised') || is === back ? null : `${is} up, ${back} down`;
}

function isFlipping(key: string): boolean {
  return key.endsWith(templateIds.flipping) || key.endsWith('spotpaid');
}

function tally(changes: Iterable<StateChange>): Counts {
  const counts = new Map<string, number>();
  for (const { kind, region, templateId, zone, quotaType } of changes) {
    const key = `${kind} ${region} ${templateId ?? `${zone ?? ''}/${quotaType ?? ''}`}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

const kindOf: Readonly<Record<string, (labels: Sample['labels']) => string>> = {
  cvm_launch_template_default_version_changes_total: () => 'default-version-changed',
  cvm_launch_template_versions_created_total: () => 'version-created',
  cvm_launch_template_versions_deleted_total: () => 'version-deleted',
  cvm_quota_limit_changes_total: ({ direction }) => `quota-limit-${direction ?? ''}`,
};

function countsOf(samples: Samples): Counts {
  return new Map(
    samples.all.flatMap(({ name, labels, value }) => {
      const kind = kindOf[name]?.(labels);
      const { region, template_id: templateId, zone = '', quota_type: quotaType = '' } = labels;
      if (kind === undefined) return [];
      return [[`${kind} ${region ?? ''} ${templateId ?? `${zone}/${quotaType}`}`, value]];
    }),
  );
}
