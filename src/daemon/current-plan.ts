/**
 * The current plan of a daemon: the configured targets, and those that answers found. The poller polls its targets. The
 * daemon configures it at the start and at a reload. After each poll, the poller lets it follow the record.
 */
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
  /** Gets the targets of each new plan, and gives the records from which a plan is made. */
  readonly published: PublishedRecords;
  /** Gets the accounts and targets of each new plan. */
  readonly requests: Pick<RequestCounts, 'follow'>;
  readonly logger: Logger;
}

/**
 * Creates the plan. It has no targets before the first `configure`: the records from which they are found must be read
 * before.
 */
export function createCurrentPlan(initial: Config, options: CurrentPlanOptions) {
  const { collectors, logger, published, requests } = options;
  const regionFinders = collectors.all.filter(({ regionDiscovery }) => regionDiscovery !== null);
  // Answers that a kind waits for do not find its targets, but may say what these ask: stock and subnets, for prices.
  const followed = collectors.all.flatMap(({ follows, waitsFor }) => [...follows, ...waitsFor]);
  /** The operations whose answers may change the plan. */
  const discovering = new Set([...followed, ...regionFinders.map(({ operation }) => operation)]);
  /** Accounts with regions, as `account region`, that the log has named as left out, until none of their targets is refused. */
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

  /**
   * Logs each region that is left out and was not before. A region that is left out is planned again after each list of
   * regions. While it is still refused then, it stays logged, so the next refusal is not logged again.
   */
  const logLeftOut = ({ byAccount, targets }: Plan): void => {
    const loggedBefore = loggedLeftOut;
    const plannedAgain = targets
      .filter((target) => isRefused(published.getOrGone(targetKey(target))))
      .map(({ account, region }) => `${account} ${region}`);
    const logged = new Set(plannedAgain.filter((name) => loggedBefore.has(name)));
    for (const [account, { leftOut }] of byAccount) {
      for (const region of leftOut) {
        const name = `${account} ${region}`;
        logged.add(name);
        if (loggedBefore.has(name)) continue;
        logger.warn('region left out: it does not offer an operation', { account, region });
      }
    }
    loggedLeftOut = logged;
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
    /** The regions that are left out, by account. An account whose regions are not discovered is absent. */
    leftOut: (): ReadonlyMap<string, readonly string[]> => {
      const { byAccount, config } = current;
      const ofDiscovery = config.accounts.filter((account) => account.discoveredRegions !== null);
      return new Map(ofDiscovery.map(({ name }) => [name, byAccount.get(name)?.leftOut ?? []]));
    },
    /** Replaces the plan by that of a configuration and the published records. */
    configure: (config: Config): void => {
      const targets = config.accounts.map((account) => [account.name, plannedOf(account)] as const);
      replace(planOf(config, new Map(targets)));
    },
    /**
     * Follows a record that a poll or another daemon replaced: its answer may have found other targets, or refused its region,
     * which the plan then leaves out. Plans the account of the record again only where that may change the plan.
     *
     * @returns whether the plan changed
     */
    follow: ({ before, record }: RecordReplacement): boolean => {
      const { durable, observed, target } = record;
      const { byAccount, config } = current;
      const refuses = isRefused(record);
      if (!refuses && !discovering.has(target.operation)) return false;
      if (!refuses && collectors.of(target).regionDiscovery === null) {
        // Else each poll of an unchanged template would plan its whole account. A list of regions always does: it lets regions
        // that are left out be planned again.
        const isSame = isDeepStrictEqual(before.durable, durable);
        if (isSame && isDeepStrictEqual(before.observed.snapshot, observed.snapshot)) return false;
      }
      const account = config.accounts.find(({ name }) => name === target.account);
      const plannedBefore = byAccount.get(target.account);
      if (account === undefined || plannedBefore === undefined) return false;
      const planned = plannedOf(account);
      if (isDeepStrictEqual(planned, plannedBefore)) return false;
      replace(planOf(config, new Map(byAccount).set(target.account, planned)));
      return true;
    },
  };
}

/** Whether the last poll of a target failed because its region does not offer the operation. False without a record. */
function isRefused(record: TargetRecord | undefined): boolean {
  return record?.observed.freshness.failure?.code === 'UnsupportedRegion';
}

type Plan = ReturnType<typeof planOf>;

/** The plan of a configuration and its targets by account: what the poller knows as `PollPlan`. Immutable. */
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
