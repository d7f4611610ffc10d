import type { CollectorSet } from '../../collectors/collector-set.ts';
import { collectors as ownCollectors } from '../../collectors/collectors.ts';
import { loadConfig, type Config } from '../../config/config.ts';
import { accountsOfSameSecretId, estimateCycle, type CycleEstimate } from '../../config/plan.ts';
import { planTargets } from '../../config/targets.ts';
import type { Target } from '../../model/target.ts';
import { print } from './print.ts';

export async function checkConfig(file: string, collectors = ownCollectors): Promise<void> {
  const config = await loadConfig(file, collectors);
  const targets = planTargets(config, collectors);
  const estimate = estimateCycle(config, targets, Date.now());

  print(`${file}: valid\n\n`);
  for (const target of targets) print(`  ${targetLine(target, collectors)}\n`);
  print(`\n${estimateText(config, targets.length, estimate)}\n`);
  for (const warning of warnings(config, targets, estimate)) print(`warning: ${warning}\n`);
}

function targetLine(target: Target, collectors: CollectorSet): string {
  const { account, region, operation, resource = {} } = target;
  const details = collectors.of(target).details(target);
  const parts = [account, region, operation, ...Object.values(resource), details];
  return parts.filter((part) => part !== '').join('  ');
}

function estimateText(config: Config, targets: number, estimate: CycleEstimate): string {
  return [
    `targets             ${targets}`,
    `requests per cycle  ${estimate.requests}`,
    `seconds per cycle   ${round(estimate.seconds)} at ${config.api.requestsPerSecond} requests per second, account and operation`,
    `shortest interval   ${round(estimate.shortestIntervalSeconds)} s between two runs of "${config.poll.expression}" (${config.poll.timezone})`,
  ].join('\n');
}

function warnings(config: Config, targets: readonly Target[], estimate: CycleEstimate): string[] {
  const { poll } = config;
  const interval = estimate.shortestIntervalSeconds;
  return [
    ...(estimate.fits
      ? []
      : [
          `a cycle of ${round(estimate.seconds)} s, jitter of ${poll.jitterMs / 1_000} s on top, does not fit into ${round(interval)} s; cycles will be skipped. Poll less often, raise api.requests_per_second, or watch less`,
        ]),
    ...(poll.staleAfterMs / 1_000 > interval
      ? []
      : [
          `stale_after (${poll.staleAfterMs / 1_000} s) is not longer than the ${round(interval)} s between two runs; gauges will come and go. Choose at least twice the interval`,
        ]),
    ...accountsOfSameSecretId(config).map(
      (names) =>
        `the accounts ${names.join(', ')} have the same SecretId; they share one rate limit`,
    ),
    ...idleRegions(config, targets),
  ];
}

function idleRegions({ accounts }: Config, targets: readonly Target[]): string[] {
  const watched = new Set(targets.map(({ account, region }) => `${account} ${region}`));
  return accounts.flatMap(({ name, regions }) =>
    regions
      .filter((region) => !watched.has(`${name} ${region.name}`))
      .map((region) => `nothing is watched in ${region.name} of ${name}`),
  );
}

function round(seconds: number): string {
  return Number.isFinite(seconds) ? String(Math.ceil(seconds * 10) / 10) : 'unlimited';
}
