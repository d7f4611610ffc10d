/** What the emulator changed, against what the daemons of a cluster count. */
import type { Emulator } from '../../../src/emulator/emulator.ts';
import type { Random } from '../random.ts';
import type { Sample, Samples } from '../samples.ts';
import { regions, templateId, zoneOf } from './service.ts';

/** A value of the emulator that changes, and the series that count its changes. */
interface Value {
  /** The name of its gauge with the account and the region. */
  readonly gauge: string;
  readonly present: () => number;
  readonly change: (random: Random) => void;
  readonly counters: readonly string[];
}

/** Counters by name, account and region. */
type Counts = ReadonlyMap<string, number>;

/**
 * Changes a value only after a scrape has shown its present state and all its changes: a poll cannot miss a change
 * then, so each of them must be counted once. The state alone is not enough: gauges move while Redis refuses a
 * record, and counters wait.
 */
export class ClusterLedger {
  /** The mistakes that were found, as texts. */
  readonly differences: string[] = [];
  changes = 0;
  readonly #values: readonly Value[];
  readonly #expected = new Map<string, number>();
  readonly #settled = new Set<Value>();
  readonly #highest = new Map<string, number>();
  /** Scrapes that a later one may still be older than. */
  #recent: { readonly endedAtMs: number; readonly counts: Counts }[] = [];

  constructor(emulator: Emulator, accounts: readonly string[]) {
    this.#values = accounts.flatMap((account) =>
      regions.flatMap((region) => [
        this.#limit(emulator, account, region),
        this.#defaultVersion(emulator, account, region),
      ]),
    );
  }

  /** What each counter must be. */
  get expected(): Counts {
    return this.#expected;
  }

  /**
   * Records a scrape that has just ended. No counter may be lower than in one that ended a second before it began: the
   * exposition of each daemon is at most a second old.
   */
  observe(samples: Samples, by: string, begunAtMs: number): void {
    const counts = countsOf(samples);
    // A daemon that does not reach Redis shows old gauges, which may be equal to the present state by chance.
    if (counts.size === 0) return;
    const gauges = byPlace(samples, gaugeNames);
    for (const value of this.#values) {
      const isCounted = value.counters.every((key) => counts.get(key) === this.#expected.get(key));
      if (isCounted && gauges.get(value.gauge) === value.present()) this.#settled.add(value);
    }
    const isOld = (scrape: { readonly endedAtMs: number }) => scrape.endedAtMs + 1_000 <= begunAtMs;
    for (const [key, count] of this.#recent.filter(isOld).flatMap((old) => [...old.counts])) {
      this.#highest.set(key, Math.max(this.#highest.get(key) ?? 0, count));
    }
    this.#recent = this.#recent.filter((scrape) => !isOld(scrape));
    this.#recent.push({ endedAtMs: performance.now(), counts });
    for (const [key, count] of counts) {
      const highest = this.#highest.get(key) ?? 0;
      if (count < highest) this.differences.push(`${by}: ${key} fell from ${highest} to ${count}`);
    }
  }

  /** Changes some of the values whose present state was shown. */
  changeSome(random: Random, share: number): void {
    for (const value of this.#settled) {
      if (!random.chance(share)) continue;
      this.#settled.delete(value);
      value.change(random);
      this.changes += 1;
    }
  }

  /** Whether a scrape shows the present state of everything. */
  isShownBy(samples: Samples): boolean {
    const gauges = byPlace(samples, gaugeNames);
    return this.#values.every(({ gauge, present }) => gauges.get(gauge) === present());
  }

  /** Compares counters with the changes, while nothing changes. */
  compare(counts: Counts, by: string): void {
    for (const [key, expected] of this.#expected) {
      const counted = counts.get(key);
      if (counted === expected) continue;
      this.differences.push(`${by}: ${key} is ${counted ?? 'absent'}, expected ${expected}`);
    }
  }

  #limit(emulator: Emulator, account: string, region: string): Value {
    const place = { account, region, zone: zoneOf(region), quota_type: 'postpaid' as const };
    const raised = `cvm_quota_limit_changes_total raised ${account} ${region}`;
    const lowered = `cvm_quota_limit_changes_total lowered ${account} ${region}`;
    const present = () => emulator.state.quota(place).limit;
    return {
      gauge: `cvm_quota_limit ${account} ${region}`,
      present,
      change: (random) => {
        const isRaised = present() < 20 || random.chance(0.5);
        const step = random.integer(1, 5) * (isRaised ? 1 : -1);
        emulator.do({ do: 'set-limit', ...place, limit: present() + step });
        this.#expectOneMore(isRaised ? raised : lowered);
      },
      counters: this.#countersFromZero(raised, lowered),
    };
  }

  #defaultVersion(emulator: Emulator, account: string, region: string): Value {
    const place = { account, region, template_id: templateId };
    const changed = `cvm_launch_template_default_version_changes_total  ${account} ${region}`;
    const present = () => emulator.state.template(place).default_version;
    return {
      gauge: `cvm_launch_template_default_version ${account} ${region}`,
      present,
      change: (random) => {
        const others = [1, 2, 3, 4].filter((version) => version !== present());
        emulator.do({ do: 'set-default-version', ...place, version: random.pick(others) });
        this.#expectOneMore(changed);
      },
      counters: this.#countersFromZero(changed),
    };
  }

  #countersFromZero(...keys: string[]): readonly string[] {
    for (const key of keys) this.#expected.set(key, 0);
    return keys;
  }

  #expectOneMore(key: string): void {
    this.#expected.set(key, (this.#expected.get(key) ?? 0) + 1);
  }
}

const gaugeNames: ReadonlySet<string> = new Set([
  'cvm_quota_limit',
  'cvm_launch_template_default_version',
]);
export const counterNames: ReadonlySet<string> = new Set([
  'cvm_quota_limit_changes_total',
  'cvm_launch_template_default_version_changes_total',
]);

function byPlace(samples: Samples, names: ReadonlySet<string>): Counts {
  return new Map(
    samples.all.flatMap(({ name, labels, value }) => {
      const { account = '', quota_type: type = 'postpaid', region = '' } = labels;
      return names.has(name) && type === 'postpaid'
        ? [[`${name} ${account} ${region}`, value]]
        : [];
    }),
  );
}

export function countsOf(samples: Samples): Counts {
  return new Map(
    samples.all
      .filter(({ name }) => counterNames.has(name))
      .map((sample) => [counterKey(sample), sample.value]),
  );
}

export function counterKey({ labels, name }: Pick<Sample, 'labels' | 'name'>): string {
  const { account, direction = '', region } = labels;
  return `${name} ${direction} ${account ?? ''} ${region ?? ''}`;
}
