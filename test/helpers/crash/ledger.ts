/** The bookkeeping of the crash tests: the expected changes, and the changes that the daemon counted. */
import type { Emulator, StateChange } from '../../../src/emulator/emulator.ts';
import type { Random } from '../random.ts';
import type { Sample, Samples } from '../samples.ts';
import { flippingValues, steadyValues, type FlippingValue, type WatchedValue } from './values.ts';
import { templateIds } from './world.ts';

/** The number of changes of a value in one direction, by `kind region what`. */
type Counts = ReadonlyMap<string, number>;

/**
 * Changes values of the emulator and checks the scrapes. A steady value is changed again only after a scrape
 * has shown its present state. A scraped value is stored, so each of its changes is expected exactly once,
 * for every moment of a kill. A flipping value is changed at any time. A poll may miss that it left its usual
 * state and came back. But then both changes are missed: never only one of them is counted.
 */
export class Ledger {
  /** The mistakes that were found, as texts. */
  readonly differences: string[] = [];
  readonly #emulator: Emulator;
  readonly #steady: readonly WatchedValue[];
  readonly #flipping: readonly FlippingValue[];
  /** Steady values whose present state was shown by a scrape. */
  readonly #settled = new Set<WatchedValue>();
  /** Flipping values with a baseline in the daemon. */
  readonly #known = new Set<FlippingValue>();
  /** Values of the last scrapes. A counter is absent until its target was attempted. */
  readonly #highest = new Map<string, number>();

  constructor(emulator: Emulator) {
    this.#emulator = emulator;
    this.#steady = steadyValues(emulator);
    this.#flipping = flippingValues(emulator);
  }

  /** Records a scrape. Values that it shows may change again. A counter must never fall. */
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

  /** Changes some of the values that may be changed. */
  changeSome(random: Random): void {
    for (const value of this.#settled) {
      if (!random.chance(0.4)) continue;
      value.change(random);
      this.#settled.delete(value);
    }
    for (const value of this.#known) if (random.chance(0.3)) value.change(random);
  }

  /** Sets every flipping value to its usual state. */
  rest(): void {
    for (const value of this.#flipping) value.rest();
  }

  /** Compares a scrape with the emulator's list of changes. Nothing may change at this time. */
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

/** Both directions are counted equally often, and not more often than they happened. */
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
  for (const { kind, region, template_id: templateId, zone, quota_type: quotaType } of changes) {
    const template = kind.startsWith('template-') ? undefined : templateId;
    const key = `${kind} ${region} ${template ?? `${zone ?? ''}/${quotaType ?? ''}`}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

const kindOf: Readonly<Record<string, (labels: Sample['labels']) => string>> = {
  cvm_launch_template_default_version_changes_total: () => 'default-version-changed',
  cvm_launch_template_versions_created_total: () => 'version-created',
  cvm_launch_template_versions_deleted_total: () => 'version-deleted',
  cvm_launch_templates_created_total: () => 'template-created',
  cvm_launch_templates_deleted_total: () => 'template-deleted',
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
