import type { Target } from '../model/target.ts';
import type { Config } from '../config/config.ts';
import { callerOf } from '../credentials/types.ts';
import { shortestIntervalMs } from '../schedule/cron.ts';

/** The requests and duration of a cycle, and the interval of its schedule. */
export type CycleEstimate = ReturnType<typeof estimateCycle>;

/** Estimates a cycle from the configured rate and the runs after now. It ignores latency and retries. */
export function estimateCycle(config: Config, targets: readonly Target[], nowMs: number) {
  const requestsByLimit = new Map<string, number>();
  const ownerOf = new Map(
    config.accounts.map((each) => [each.name, callerOf(each.name, each.credentials)]),
  );
  const polled = targets.filter(({ intervalMs }) => intervalMs === undefined);
  for (const { account, operation } of polled) {
    const limit = `${ownerOf.get(account) ?? account} ${operation}`;
    requestsByLimit.set(limit, (requestsByLimit.get(limit) ?? 0) + 1);
  }
  const seconds = Math.max(...requestsByLimit.values()) / config.api.requestsPerSecond;
  const shortestIntervalSeconds = shortestIntervalMs(config.poll, nowMs) / 1_000;
  return {
    /** One request per target that each cycle polls. An answer with several pages needs more. */
    requests: polled.length,
    /** Minimum duration at the rate limit. Accounts and operations run in parallel. */
    seconds,
    /** The shortest time between two runs of the schedule. `Infinity` when it has no second run. */
    shortestIntervalSeconds,
    fits: seconds + config.poll.jitterMs / 1_000 <= shortestIntervalSeconds,
  };
}
