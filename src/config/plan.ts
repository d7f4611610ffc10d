import { quotaTypes, type Operation, type Target } from '../model/target.ts';
import type { AccountConfig, Config, RegionConfig } from './config.ts';
import { shortestIntervalMs } from './cron.ts';

/** The targets that a configuration asks for, in its order. */
export function planTargets(config: Config): Target[] {
  return config.accounts.flatMap((account) =>
    account.regions.flatMap((region) => targetsOf(account, region)),
  );
}

function targetsOf(account: AccountConfig, region: RegionConfig): Target[] {
  const place = { account: account.name, region: region.name };
  const selection = {
    quotaTypes: quotaTypes.filter((type) => account.quotaTypes.includes(type)),
    zones: region.zones,
  };
  return [
    { ...place, operation: 'DescribeAccountQuota', selection },
    ...region.launchTemplates.map((templateId) => ({
      ...place,
      operation: 'DescribeLaunchTemplateVersions' as const,
      templateId,
    })),
  ];
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

/** Estimates a cycle from the configured rate alone, and the runs after now: no latency, no retries. */
export function estimateCycle(config: Config, nowMs: number): CycleEstimate {
  const targets = planTargets(config);
  const requestsByLimit = new Map<string, number>();
  for (const { account, operation } of targets) {
    const limit = limitKey(account, operation);
    requestsByLimit.set(limit, (requestsByLimit.get(limit) ?? 0) + 1);
  }
  const seconds = Math.max(...requestsByLimit.values()) / config.api.requestsPerSecond;
  const shortestIntervalSeconds = shortestIntervalMs(config.poll, nowMs) / 1_000;
  return {
    requests: targets.length,
    seconds,
    shortestIntervalSeconds,
    fits: seconds + config.poll.jitterMs / 1_000 <= shortestIntervalSeconds,
  };
}

function limitKey(account: string, operation: Operation): string {
  return `${account} ${operation}`;
}
