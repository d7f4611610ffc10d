/** The current plan of a daemon: the configured targets, and those that answers found. The poller polls its targets. */
import { isDeepStrictEqual } from 'node:util';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { planAccount, type PlannedTargets } from '../collectors/plan.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../log.ts';
import type { RecordReplacement } from '../model/advance.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey } from '../model/target.ts';
import type { RequestCounts } from './api-observer.ts';

export interface CurrentPlanOptions {
  readonly collectors: CollectorSet;
  /** Shows the targets of the plan, and no others. */
  readonly published: PublishedRecords;
  /** Shows the counters of the targets' requests from the beginning, and none of other accounts. */
  readonly requests: Pick<RequestCounts, 'follow'>;
  readonly logger: Logger;
}

/**
 * Owns the current plan. It changes with the configuration, and with the answers that find targets. It has no targets before
 * the first `configure`.
 */
export function createCurrentPlan(initial: Config, options: CurrentPlanOptions) {
  const { collectors, logger, published, requests } = options;
  const finders = collectors.all.filter(({ regionDiscovery }) => regionDiscovery !== null);
  // What a kind waits for may say where it asks: the stock and the subnets, for prices.
  const followed = collectors.all.flatMap(({ follows, waitsFor }) => [...follows, ...waitsFor]);
  /** The operations whose answers find targets. */
  const discovering = new Set([...followed, ...finders.map(({ operation }) => operation)]);
  /** The regions that the log named as left out, with their accounts, until none of their targets is refused. */
  let loggedLeftOut: ReadonlySet<string> = new Set();
  let current = planOf(initial, new Map());

  /** The targets of an account. A target that has not changed is the same object as before. */
  const plannedOf = (account: Config['accounts'][number]): PlannedTargets => {
    const planned = planAccount(account, collectors, (key) => published.getOrGone(key));
    const targets = planned.targets.map((target) => {
      const before = current.get(targetKey(target));
      return before !== undefined && isDeepStrictEqual(before, target) ? before : target;
    });
    return { ...planned, targets };
  };

  /** Logs each region that is left out now, once until it is refused no longer: it is tried after each list of regions. */
  const logLeftOut = ({ byAccount, targets }: Plan): void => {
    const logged = loggedLeftOut;
    const tried = targets
      .filter((target) => isRefused(published.getOrGone(targetKey(target))))
      .map(({ account, region }) => `${account} ${region}`);
    const still = new Set(tried.filter((name) => logged.has(name)));
    for (const [account, { leftOut }] of byAccount) {
      for (const region of leftOut) {
        const name = `${account} ${region}`;
        still.add(name);
        if (logged.has(name)) continue;
        logger.warn('region left out: it does not offer an operation', { account, region });
      }
    }
    loggedLeftOut = still;
  };

  const replace = (plan: Plan): void => {
    current = plan;
    published.setTargets(plan.targets, (target) => collectors.of(target));
    requests.follow(plan.accounts, plan.targets);
    logLeftOut(plan);
  };

  return {
    get current(): Plan {
      return current;
    },
    /** The regions that are not polled, by the accounts whose regions are discovered. */
    leftOut: (): ReadonlyMap<string, readonly string[]> => {
      const { byAccount, config } = current;
      const ofDiscovery = config.accounts.filter((account) => account.discoveredRegions !== null);
      return new Map(ofDiscovery.map(({ name }) => [name, byAccount.get(name)?.leftOut ?? []]));
    },
    /** Replaces the plan by that of a configuration. */
    configure: (config: Config): void => {
      const targets = config.accounts.map((account) => [account.name, plannedOf(account)] as const);
      replace(planOf(config, new Map(targets)));
    },
    /**
     * Follows a record that a poll or another daemon replaced: its answer may have found other targets.
     *
     * @returns whether the plan changed
     */
    follow: ({ before, record }: RecordReplacement): boolean => {
      const { durable, observed, target } = record;
      const { byAccount, config } = current;
      // A plan leaves out a region that refused.
      const refuses = isRefused(record);
      if (!refuses && !discovering.has(target.operation)) return false;
      if (!refuses && collectors.of(target).regionDiscovery === null) {
        // Each poll of an unchanged template would plan its whole account.
        const isSame = isDeepStrictEqual(before.durable, durable);
        if (isSame && isDeepStrictEqual(before.observed.snapshot, observed.snapshot)) return false;
      }
      const account = config.accounts.find(({ name }) => name === target.account);
      const last = byAccount.get(target.account);
      if (account === undefined || last === undefined) return false;
      const planned = plannedOf(account);
      if (isDeepStrictEqual(planned, last)) return false;
      replace(planOf(config, new Map(byAccount).set(target.account, planned)));
      return true;
    },
  };
}

/** Whether the last answer about a target was that its region does not offer the operation. */
function isRefused(record: TargetRecord | undefined): boolean {
  return record?.observed.freshness.failure?.code === 'UnsupportedRegion';
}

type Plan = ReturnType<typeof planOf>;

/** A configuration, and its targets by account: a `PollPlan`. Immutable. */
function planOf(config: Config, byAccount: ReadonlyMap<string, PlannedTargets>) {
  const targets = [...byAccount.values()].flatMap((planned) => planned.targets);
  const byKey = new Map(targets.map((target) => [targetKey(target), target]));
  return {
    config,
    byAccount,
    targets,
    accounts: [...byAccount.keys()],
    targetsOf: (account: string) => byAccount.get(account)?.targets ?? [],
    get: (key: string) => byKey.get(key),
  };
}
