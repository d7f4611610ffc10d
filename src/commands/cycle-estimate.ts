/** How long a cycle takes at the configured rate, and whether it ends before the next one: for `check-config`. */
import type { Config } from '../config/config.ts';
import { callerOf } from '../credentials/types.ts';
import type { Target } from '../model/target.ts';
import { shortestIntervalMs } from '../schedule/cron.ts';

/** The requests and duration of a cycle, and the interval of its schedule. */
export type CycleEstimate = ReturnType<typeof estimateCycle>;

/** Estimates a cycle from the configured rate and the runs after now. It ignores latency and retries. */
export function estimateCycle(config: Config, targets: readonly Target[], nowMs: number) {
  // A key has one rate limit for each operation, which the accounts with this key share.
  const callers = new Map(
    config.accounts.map(({ name, credentials }) => [name, callerOf(name, credentials)]),
  );
  const requestsByLimit = new Map<string, number>();
  // Region discovery is left out: a cycle polls it only once an hour. A valid configuration has other targets.
  const targetsOfEachCycle = targets.filter(({ intervalMs }) => intervalMs === undefined);
  for (const { account, operation } of targetsOfEachCycle) {
    const limit = `${callers.get(account) ?? account} ${operation}`;
    requestsByLimit.set(limit, (requestsByLimit.get(limit) ?? 0) + 1);
  }
  const seconds = Math.max(...requestsByLimit.values()) / config.api.requestsPerSecond;
  const shortestIntervalSeconds = shortestIntervalMs(config.poll, nowMs) / 1_000;
  return {
    /** One request per target that each cycle polls. An answer with several pages needs more. */
    requests: targetsOfEachCycle.length,
    /** Minimum duration at the rate limit. Accounts and operations run in parallel. */
    seconds,
    /** The shortest time between two runs of the schedule. `Infinity` when it has no second run. */
    shortestIntervalSeconds,
    /** True if the cycle and the longest jitter before it end within the shortest interval. */
    fits: seconds + config.poll.jitterMs / 1_000 <= shortestIntervalSeconds,
  };
}

/**
 * The section `budget` of the output, a line for each figure.
 *
 * @param findsTargets true: answers can find further targets, which the figures do not include
 */
export function budgetLines(
  { api, poll }: Config,
  targets: readonly Target[],
  { requests, seconds, shortestIntervalSeconds }: CycleEstimate,
  findsTargets: boolean,
): string[] {
  return [
    `targets             ${targets.length}`,
    `requests per cycle  ${requests}${findsTargets ? ', and those of what discovery finds' : ''}`,
    `seconds per cycle   ${roundUp(seconds)} at ${api.requestsPerSecond} requests per second, key and operation`,
    `shortest interval   ${roundUp(shortestIntervalSeconds)} s between two runs of "${poll.expression}" (${poll.timezone})`,
  ];
}

/** The warning about a cycle that does not fit into the schedule. */
export function scheduleWarnings(
  { jitterMs }: Config['poll'],
  { fits, seconds, shortestIntervalSeconds }: CycleEstimate,
): string[] {
  if (fits) return [];
  return [
    `a cycle of ${roundUp(seconds)} s, jitter of ${jitterMs / 1_000} s on top, does not fit into ${roundUp(shortestIntervalSeconds)} s; cycles will be skipped. Poll less often, raise api.requests_per_second, or watch less`,
  ];
}

/** Seconds, rounded up to a tenth. `unlimited` for `Infinity`, such as the interval of a schedule with one run. */
function roundUp(seconds: number): string {
  return Number.isFinite(seconds) ? String(Math.ceil(seconds * 10) / 10) : 'unlimited';
}
