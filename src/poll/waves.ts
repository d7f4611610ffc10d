/**
 * The waves of a cycle: the order in which the targets of an account are polled, and the poll of each. The daemon and
 * `check` share it.
 */
import type { CollectorSet } from '../collectors/collector-set.ts';
import { advance, type RecordUpdater, type RecordUpdate } from '../model/advance.ts';
import type { Clock } from '../model/clock.ts';
import { CodedError } from '../model/coded-error.ts';
import { messageOf } from '../model/errors.ts';
import type { PollAnswer, PollContext, PollFailure, PollOutcome } from '../model/poll-outcome.ts';
import type { Target } from '../model/target.ts';
import { withTrend } from '../model/trend.ts';
import type { PollLog } from './poll-log.ts';

export interface WavesOptions {
  readonly collectors: CollectorSet;
  /** The targets of the account that are known now. The answers of a wave add further ones. */
  readonly targets: () => readonly Target[];
  /** Polls a target if necessary. Never rejects. */
  readonly visit: (target: Target) => Promise<void>;
}

/**
 * Visits every target of an account once. The targets of a region that the answers of others find follow them. No
 * region waits for another one: a host that does not answer delays only its own targets. Regions that are found
 * meanwhile are visited too.
 */
export async function visitInWaves({ collectors, targets, visit }: WavesOptions): Promise<void> {
  const begun = new Set<string>();
  const visitRegion = async (region: string) => {
    const here = () => targets().filter((each) => each.region === region);
    const known = here();
    const ended = new Map<string, Promise<unknown>>();
    for (const { follows, operation, regionDiscovery } of collectors.all) {
      const isAsked = (target: Target) => target.operation === operation;
      const before = follows.flatMap((each) => ended.get(each) ?? []);
      const mayHaveTargets = before.length > 0 || known.some(isAsked);
      if (regionDiscovery !== null || !mayHaveTargets) continue;
      const visitAll = () => Promise.all(here().filter(isAsked).map(visit));
      ended.set(operation, Promise.all(before).then(visitAll));
    }
    await Promise.all(ended.values());
  };
  const isFinder = (target: Target) => collectors.of(target).regionDiscovery !== null;
  const visitRegions = async () => {
    const regions = new Set(targets().flatMap((each) => (isFinder(each) ? [] : [each.region])));
    const added = [...regions].filter((region) => !begun.has(region));
    for (const region of added) begun.add(region);
    await Promise.all(added.map(visitRegion));
  };
  const finders = targets().filter(isFinder);
  await Promise.all([visitRegions(), Promise.all(finders.map(visit)).then(visitRegions)]);
}

export interface PollTools {
  readonly collectors: CollectorSet;
  /** Asks the service about a target. Rejects with a CodedError. */
  readonly poll: (target: Target, context: PollContext) => Promise<PollAnswer>;
  /**
   * Advances the record of a target by a step, which gives `null` where nothing is to be done. Stores and publishes
   * the result, and resolves with what is published. Never rejects.
   */
  readonly update: (target: Target, step: RecordUpdater) => Promise<RecordUpdate | null>;
  readonly clock: Clock;
  readonly log: PollLog;
  /** The length of a step of the trends. */
  readonly trendStepMs: () => number;
}

/**
 * Polls a target once: its record is advanced, kept, published and logged. Only this function turns an error of
 * a poll into data. An error without a code is a bug of this program in reading the answer. It becomes a failed
 * poll too, and ends neither the cycle nor the process. A signal that aborts with a CodedError fails the poll with it.
 *
 * @returns what is published; `null` when the poll was cut short
 */
export async function pollTarget(
  target: Target,
  context: PollContext,
  { clock, collectors, update, log, poll, trendStepMs }: PollTools,
): Promise<RecordUpdate | null> {
  const { signal } = context;
  const collector = collectors.of(target);
  const startedMs = clock.now();
  const durationMs = () => Math.max(0, clock.now() - startedMs);
  let outcome: PollOutcome;
  try {
    const { snapshot, anomalies } = await poll(target, context);
    outcome = { ok: true, snapshot, anomalies, durationMs: durationMs() };
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    if (!(reason instanceof CodedError) && !signal.aborted) log.threw(target, reason);
    outcome = failureOf(reason, durationMs());
  }
  const taken = await update(target, (before) => {
    // A poll that was stopped says nothing about the service, and a removed target wants no answer.
    if (signal.aborted && !(signal.reason instanceof CodedError)) return null;
    const { changes, record } = advance(before, outcome, clock.now(), collector);
    return { changes, record: withTrend(record, (each) => collector.quotas(each), trendStepMs()) };
  });
  if (taken !== null) log.polled(taken, outcome);
  return taken;
}

function failureOf(error: unknown, durationMs: number): PollFailure {
  const fault = new CodedError('InvalidResponse', messageOf(error));
  const { code, message, requestId } = error instanceof CodedError ? error : fault;
  return { ok: false, code, message, requestId, durationMs };
}
