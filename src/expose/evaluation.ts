/**
 * Evaluates records, their quotas and their launches at one time: what is fresh, low, gone or blocked. Metrics, page and JSON
 * lists get the result from the evaluator of `app.ts`, `check` and `init` from `check-report.ts`.
 */
import { isDenied, type CollectorSet } from '../collectors/collector-set.ts';
import { mapWithYields, type Pace } from '../model/async.ts';
import { judgeLaunches, type EvaluatedLaunch } from '../model/launches/judge-region.ts';
import { LastMemo, ObjectMemo } from '../model/memoize.ts';
import { withGoneSince } from '../model/quota-history.ts';
import { isFresh, targetState, type TargetRecord } from '../model/record.ts';
import {
  compareRemaining,
  judgeQuota,
  thresholdsAt,
  thresholdsOf,
  type Thresholds,
} from '../model/thresholds.ts';
import type { Quota } from '../model/quota.ts';
import type { Target } from '../model/target.ts';
import { compareStates } from './display-state.ts';
import type { MonitorView } from './monitor-view.ts';

/** The view of the monitor, and `evaluate`, which judges all its records at the present time. */
export type Evaluator = Readonly<ReturnType<typeof createEvaluator>>;

/** The evaluated targets that have something to ask, in the order of the plan, and all launches, the worst first. */
export type Evaluation = Readonly<Awaited<ReturnType<Evaluator['evaluate']>>>;

/**
 * Creates the evaluator that scrapes, pages and lists share. An evaluated record stays the same object until the record,
 * its freshness, the thresholds or `staleAfterMs` change, and the launches until one of the records changes. So the
 * callers can memoize by object what they make of them.
 */
export function createEvaluator(view: MonitorView) {
  const evaluatedRecords = new ObjectMemo<EvaluatedRecord>();
  const judgedLaunches = new LastMemo<readonly EvaluatedLaunch[]>();
  /**
   * Evaluates all records at the present time. In a cluster, first reads what other daemons stored.
   *
   * @param count the instances of each launch, as a query asks. `null`: the number that the launch has itself
   */
  const evaluate = async (pace?: Pace, count: number | null = null) => {
    await view.refresh?.();
    const nowMs = view.clock.now();
    const { collectors } = view;
    const staleAfterMs = view.staleAfterMs();
    const configured = view.thresholds();
    const thresholds = thresholdsAt(configured, nowMs);
    const records = view.published.all();
    const answered = collectors.answeredAccounts(records);
    const options = { collectors, answered, staleAfterMs, thresholds, nowMs };
    const evaluateOne = (record: TargetRecord) => {
      const isRecent = isFresh(record, nowMs, staleAfterMs);
      const isAnswered = answered.has(record.target.account);
      // All that the result depends on besides the record. Overrides only end, so their number says which ones are left.
      const basis = [isRecent, isAnswered, staleAfterMs, configured, thresholds.overrides.length];
      return evaluatedRecords.of(record, basis, () => evaluateRecord(record, options));
    };
    const all = await mapWithYields(records, evaluateOne, pace);
    const judge = () => evaluateLaunches(all, thresholds, count);
    const launches = count === null ? judgedLaunches.of(all, judge) : judge();
    return { nowMs, targets: all.filter(({ isShown }) => isShown), launches };
  };
  return { view, evaluate };
}

/**
 * Judges the launches of all regions. `check` calls it after its polls.
 *
 * @param thresholds without the overrides that have ended
 * @param count the instances of each launch. `null`: the number that the launch has itself
 * @returns the worst first
 */
export function evaluateLaunches(
  all: readonly EvaluatedRecord[],
  thresholds: Pick<Thresholds, 'overrides'>,
  count: number | null = null,
): readonly EvaluatedLaunch[] {
  return groupByRegion(all, ({ record }) => record.target)
    .flatMap(({ account, region, items }) => {
      const facts = items.map(({ launchFacts }) => launchFacts);
      const hasLaunches = facts.some(({ launches }) => launches !== undefined);
      return hasLaunches ? judgeLaunches({ account, region }, facts, thresholds, count) : [];
    })
    .sort(worstLaunchFirst);
}

/** A record with its state and its judged quotas at one time. */
export type EvaluatedRecord = Readonly<ReturnType<typeof evaluateRecord>>;

/** A quota with its thresholds and its state at the time of its record. */
export type EvaluatedQuota = Readonly<EvaluatedRecord['quotas' | 'lastKnown' | 'gone'][number]>;

export interface EvaluateOptions {
  readonly collectors: CollectorSet;
  /** The accounts that the service answers, by `answeredAccounts`: where they lack a permission, a target is `denied`. */
  readonly answered: ReadonlySet<string>;
  readonly staleAfterMs: number;
  /** Without the overrides that have ended. */
  readonly thresholds: Thresholds;
  readonly nowMs: number;
}

/** Judges a record and each of its quotas. The quotas of a stale record are stale, whatever their numbers were. */
export function evaluateRecord(record: TargetRecord, options: EvaluateOptions) {
  const { answered, collectors, nowMs, staleAfterMs, thresholds } = options;
  const { target } = record;
  const collector = collectors.of(target);
  const fresh = isFresh(record, nowMs, staleAfterMs);
  const denied = isDenied(record, answered);
  // Only the kinds that launches need read the key `launches` of an account.
  const isOfLaunches = 'launches' in collector.configuration.account.shape;
  const thresholdsOfQuota = thresholdsOf(thresholds, target);
  // The result without its quotas, as each of these refers to it.
  const evaluated = {
    record,
    collector,
    // Without the permission, launches are judged without this part, and the target does not fail.
    state: denied && isOfLaunches ? ('denied' as const) : targetState(record, fresh),
    /** False for a target with nothing to ask: pages, lists, metrics and verdicts leave it out. */
    isShown: !collector.asksNothing(target),
    /** What the record says about the launches of its region. */
    launchFacts: collectors.launchFacts(record, fresh, denied),
    /** True: the snapshot may be shown as the present state. Also while polls fail, until it is stale. */
    isFresh: fresh,
    /** True if the last poll succeeded and its answer is still fresh. */
    isUp: fresh && record.observed.freshness.failure === null,
    /** The time after a success in which the target is not stale. */
    staleAfterMs: staleAfterMs + (target.intervalMs ?? 0),
  };
  const evaluateQuota = (quota: Quota, goneSinceMs: number | null = null) => ({
    ...judgeQuota(quota, thresholdsOfQuota(quota)),
    /** The record that has the quota. */
    evaluated,
    /** When the quota disappeared, in milliseconds since the Unix epoch; `null` for one that did not. */
    goneSinceMs,
  });
  const stale = { state: 'stale', severityLabels: null } as const;
  const { lastKnown = [] } = record.observed.snapshot ?? {};
  const absent = withGoneSince(lastKnown, record.durable.histories, nowMs);
  const absentQuotas = absent.map(({ goneSinceMs, quota }) => evaluateQuota(quota, goneSinceMs));
  return {
    ...evaluated,
    /** The quotas of the last answer, in the order of the record. All are `stale` if the record is not fresh. */
    quotas: collector
      .quotas(record)
      .map((quota) => (fresh ? evaluateQuota(quota) : { ...evaluateQuota(quota), ...stale })),
    /** Quotas that are missing or unreadable, with their last known numbers. None of a record that is not fresh. */
    lastKnown: absentQuotas.filter(({ goneSinceMs }) => fresh && goneSinceMs === null),
    /**
     * Quotas that disappeared in the last 7 days while they were low, or worse, with their last known numbers. None of them is
     * muted.
     */
    gone: absentQuotas.flatMap((quota) => {
      if (quota.goneSinceMs === null || quota.severityLabels === null || quota.isMuted) return [];
      const severityLabels = { ...quota.severityLabels, reason: 'disappeared' } as const;
      return { ...quota, severityLabels, state: 'gone' as const };
    }),
  };
}

/** For `sort`: the worse state comes first, and of equal states the lower headroom. */
export function worstLaunchFirst(a: EvaluatedLaunch, b: EvaluatedLaunch): number {
  // Infinity minus Infinity is NaN; `|| 0` then makes them equal.
  return (
    compareStates(a.state, b.state) || (a.headroom ?? Infinity) - (b.headroom ?? Infinity) || 0
  );
}

/** One group for each region of each account, in the order of the items. */
export function groupByRegion<Item>(
  all: readonly Item[],
  placeOf: (item: Item) => Pick<Target, 'account' | 'region'>,
) {
  const groups = new Map<string, { account: string; region: string; items: Item[] }>();
  for (const item of all) {
    const { account, region } = placeOf(item);
    const key = `${account} ${region}`;
    const group = groups.get(key) ?? { account, region, items: [] };
    group.items.push(item);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** The labels of the resource that a quota limits, such as `subnet_id`. Empty for a quota of the account. */
export function resourceOf({ quota, evaluated }: EvaluatedQuota): Readonly<Record<string, string>> {
  return { ...evaluated.record.target.resource, ...quota.labels };
}

/** For `sort`: the worse state comes first, and of equal states the lower remaining share. */
export function worstQuotaFirst(a: EvaluatedQuota, b: EvaluatedQuota): number {
  return compareStates(a.state, b.state) || compareRemaining(a, b);
}
