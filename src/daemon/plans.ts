/** The present plan: the configured targets, and those that answers found. */
import { isDeepStrictEqual } from 'node:util';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Config } from '../config/config.ts';
import { planAccount, type PlannedTargets } from '../collectors/plan.ts';
import type { RecordReplacement } from '../model/advance.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import { targetKey, type Target } from '../model/target.ts';
import type { PollPlan } from '../poll/poller.ts';

/** A configuration, and its targets by account. Immutable. */
export interface Plan extends PollPlan {
  readonly config: Config;
  readonly byAccount: ReadonlyMap<string, PlannedTargets>;
  readonly targets: readonly Target[];
}

export interface PlansOptions {
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  /** Called in the same step as a plan takes the place of another one. */
  readonly onReplaced: (plan: Plan, before: Plan) => void;
}

/** Owns the present plan. It changes with the configuration, and with the answers that find targets. */
export class Plans {
  readonly #options: PlansOptions;
  /** The operations whose answers find targets. */
  readonly #finding: ReadonlySet<string>;
  #present: Plan;

  constructor(config: Config, options: PlansOptions) {
    this.#options = options;
    const { collectors } = options;
    const finders = collectors.all.filter(({ regionDiscovery }) => regionDiscovery !== null);
    const followed = collectors.all.flatMap(({ follows }) => follows);
    this.#finding = new Set([...followed, ...finders.map(({ operation }) => operation)]);
    this.#present = planOf(config, new Map());
  }

  get present(): Plan {
    return this.#present;
  }

  /** Replaces the plan by that of a configuration. */
  configure(config: Config): void {
    const targets = config.accounts.map(({ name }) => [name, this.#planned(config, name)] as const);
    this.#replace(planOf(config, new Map(targets)));
  }

  /** Follows a record that a poll or another daemon replaced: its answer may have found other targets. */
  polled({ before, record }: RecordReplacement): void {
    const { durable, observed, target } = record;
    const { collectors } = this.#options;
    const { byAccount, config } = this.#present;
    const isRefused = observed.freshness.failure?.code === 'UnsupportedRegion';
    if (!isRefused && !this.#finding.has(target.operation)) return;
    if (!isRefused && collectors.of(target).regionDiscovery === null) {
      // Each poll of an unchanged template would plan its whole account.
      const isSame = isDeepStrictEqual(before.durable, durable);
      if (isSame && isDeepStrictEqual(before.observed.snapshot, observed.snapshot)) return;
    }
    const known = byAccount.get(target.account);
    if (known === undefined) return;
    const planned = this.#planned(config, target.account);
    if (isDeepStrictEqual(planned, known)) return;
    this.#replace(planOf(config, new Map(byAccount).set(target.account, planned)));
  }

  /** The targets of an account. What is equal to a present target is the same object. */
  #planned(config: Config, name: string): PlannedTargets {
    const { collectors, published } = this.#options;
    const account = config.accounts.find((each) => each.name === name);
    if (account === undefined) return { targets: [], leftOut: [] };
    const planned = planAccount(account, collectors, (key) => published.known(key));
    const targets = planned.targets.map((target) => {
      const known = this.#present.get(targetKey(target));
      return known !== undefined && isDeepStrictEqual(known, target) ? known : target;
    });
    return { ...planned, targets };
  }

  #replace(plan: Plan): void {
    const { collectors, onReplaced, published } = this.#options;
    const before = this.#present;
    this.#present = plan;
    published.setTargets(plan.targets, (target) => collectors.of(target));
    onReplaced(plan, before);
  }
}

function planOf(config: Config, byAccount: Plan['byAccount']): Plan {
  const targets = [...byAccount.values()].flatMap((planned) => planned.targets);
  const byKey = new Map(targets.map((target) => [targetKey(target), target]));
  return {
    config,
    byAccount,
    targets,
    accounts: [...byAccount.keys()],
    targetsOf: (account) => byAccount.get(account)?.targets ?? [],
    get: (key) => byKey.get(key),
  };
}
