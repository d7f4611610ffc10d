import { quotaTypes, type Target } from '../model/target.ts';
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
  const selected = quotaTypes.filter((type) => account.quotaTypes.includes(type));
  const selection = { quotaTypes: selected, zones: region.zones };
  return [
    ...(selected.length === 0
      ? []
      : [{ ...place, operation: 'DescribeAccountQuota' as const, selection }]),
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
  const ownerOf = new Map(config.accounts.map((each) => [each.name, rateLimitOwner(each)]));
  for (const { account, operation } of targets) {
    const limit = `${ownerOf.get(account) ?? account} ${operation}`;
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

/**
 * The accounts that take their SecretId from the same variable or file, in groups of two and more. They
 * share one rate limit.
 */
export function accountsOfSameSecretId(config: Config): string[][] {
  const groups = new Map<string, string[]>();
  for (const account of config.accounts) {
    const owner = rateLimitOwner(account);
    groups.set(owner, [...(groups.get(owner) ?? []), account.name]);
  }
  return [...groups.values()].filter((names) => names.length > 1);
}

/** What a rate limit belongs to, as far as the file tells: a SecretId, else the account. */
function rateLimitOwner({ name, credentials }: AccountConfig): string {
  switch (credentials.type) {
    case 'none':
      return `account ${name}`;
    case 'environment':
      return `variable ${credentials.secret_id_env ?? 'TENCENTCLOUD_SECRET_ID'}`;
    case 'files':
      return `file ${credentials.secret_id_file}`;
  }
}
