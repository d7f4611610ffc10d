import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Target } from '../model/target.ts';
import type { Config } from './config.ts';
import { shortestIntervalMs } from './cron.ts';

/** The targets that a configuration asks for, in its order. */
export function planTargets(
  { accounts }: Pick<Config, 'accounts'>,
  collectors: CollectorSet,
): Target[] {
  return accounts.flatMap((account) =>
    account.regions.flatMap((region) =>
      collectors.all.flatMap((collector) =>
        collector.plan({
          account: account.name,
          region: region.name,
          accountKeys: account.settings,
          regionKeys: region.settings,
        }),
      ),
    ),
  );
}

/** What a cycle costs, and whether it fits its schedule. */
export interface CycleEstimate {
  /** One per target; a template of more than 100 versions needs further ones. */
  readonly requests: number;
  /** What the rate limit makes of them, at least; accounts and operations run side by side. */
  readonly seconds: number;
  /** Between two runs of the schedule; `Infinity` when it has no second run. */
  readonly shortestIntervalSeconds: number;
  readonly fits: boolean;
}

/** Estimates a cycle from the configured rate alone: no latency, no retries. */
export function estimateCycle(config: Config, targets: readonly Target[]): CycleEstimate {
  const requestsByLimit = new Map<string, number>();
  for (const { account, operation } of targets) {
    const limit = limitKey(account, operation);
    requestsByLimit.set(limit, (requestsByLimit.get(limit) ?? 0) + 1);
  }
  const seconds = Math.max(...requestsByLimit.values()) / config.api.requestsPerSecond;
  const shortestIntervalSeconds = shortestIntervalMs(config.poll) / 1_000;
  return {
    requests: targets.length,
    seconds,
    shortestIntervalSeconds,
    fits: seconds + config.poll.jitterMs / 1_000 <= shortestIntervalSeconds,
  };
}

function limitKey(account: string, operation: string): string {
  return `${account} ${operation}`;
}
