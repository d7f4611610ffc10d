import type { CollectorSet } from '../../collectors/collector-set.ts';
import { collectors as ownCollectors } from '../../collectors/collectors.ts';
import { estimateDaemons, type DaemonEstimate } from '../../config/capacity.ts';
import type { Config } from '../../config/config.ts';
import { credentialsText, defaultHere } from '../../config/credentials-types.ts';
import type { CredentialsConfig } from '../../config/credentials-schema.ts';
import {
  accountsOfSameIdentity,
  estimateCycle,
  type CycleEstimate,
} from '../../config/cycle-estimate.ts';
import { networkLines, networkWarnings } from '../../config/network-text.ts';
import { overrideProblems } from '../../config/override-problems.ts';
import { planTargets } from '../../config/targets.ts';
import { localDate } from '../../config/time-zone.ts';
import type { Target } from '../../model/target.ts';
import {
  thresholdsAt,
  thresholdText,
  type QuotaFilter,
  type ThresholdPair,
} from '../../model/thresholds.ts';
import type { ConfigFlags } from './flags.ts';
import { print } from './print.ts';
import { configName, readConfig } from './read-config.ts';
import { processSurroundings } from './surroundings.ts';

export async function checkConfig(flags: ConfigFlags, collectors = ownCollectors): Promise<void> {
  const file = flags['config.file'];
  const surroundings = processSurroundings();
  const { env } = surroundings;
  const config = await readConfig(file, { collectors });
  const targets = planTargets(config, collectors);
  const estimate = estimateCycle(config, targets, Date.now());
  const serviceOf = (target: Target) => collectors.of(target).service;
  const daemons = estimateDaemons(config, targets.length, estimate);

  print(`${configName(file)}: valid\n\n`);
  for (const target of targets) print(`  ${targetLine(target, collectors)}\n`);
  print(`\n${section('thresholds', thresholdsLines(config, Date.now()))}\n`);
  const here = await defaultHere(surroundings);
  print(`\n${section('credentials', credentialsLines(config, here))}\n`);
  print(`\n${section('network', networkLines(config, { targets, serviceOf, env, here }))}\n`);
  print(`\n${estimateText(config, targets.length, estimate)}\n`);
  print(`daemons             ${daemonsText(config, daemons)}\n`);
  for (const line of discoveryLines(targets, collectors)) print(`${line}\n`);
  const all = [
    ...networkWarnings(config),
    ...warnings(config, targets, estimate),
    ...daemonWarnings(config, daemons),
    ...overrideProblems(config, targets, collectors, Date.now()),
  ];
  for (const warning of all) print(`warning: ${warning}\n`);
}

function targetLine(target: Target, collectors: CollectorSet): string {
  const { account, region, operation, resource = {} } = target;
  const details = collectors.of(target).details(target);
  const parts = [account, region, operation, ...Object.values(resource), details];
  return parts.filter((part) => part !== '').join('  ');
}

/** The thresholds that apply now, in the order in which they are tried. */
function thresholdsLines({ poll, thresholds }: Config, nowMs: number): string[] {
  const { overrides, ...general } = thresholdsAt(thresholds, nowMs);
  const lines = overrides.map(({ filter, thresholds: pair, untilMs }) => {
    const until = untilMs === Infinity ? '' : `, until ${localDate(untilMs - 1, poll.timezone)}`;
    return `${filterText(filter)}  ${pair === null ? 'muted' : pairText(pair)}${until}`;
  });
  const rest = lines.length === 0 ? 'every quota' : 'every other quota';
  return [...lines, `${rest}  ${pairText(general)}`];
}

function filterText({ accounts, regions, zones, quotaTypes }: QuotaFilter): string {
  const parts = Object.entries({ accounts, regions, zones, quota_types: quotaTypes }).flatMap(
    ([key, names]) => (names === null ? [] : [`${key} ${names.join(', ')}`]),
  );
  return parts.length === 0 ? 'every quota' : parts.join('; ');
}

function pairText({ warning, critical }: ThresholdPair): string {
  return `warning ${thresholdText(warning)}, critical ${thresholdText(critical)}`;
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Where the credentials of each account come from. */
function credentialsLines({ accounts }: Config, here: CredentialsConfig): string[] {
  return accounts.map(({ name, credentials }) => `${name}  ${credentialsText(credentials, here)}`);
}

function estimateText(config: Config, targets: number, estimate: CycleEstimate): string {
  return [
    `targets             ${targets}`,
    `requests per cycle  ${estimate.requests}`,
    `seconds per cycle   ${round(estimate.seconds)} at ${config.api.requestsPerSecond} requests per second, key and operation`,
    `shortest interval   ${round(estimate.shortestIntervalSeconds)} s between two runs of "${config.poll.expression}" (${config.poll.timezone})`,
  ].join('\n');
}

function daemonsText({ cluster }: Config, { daemons, cores, memoryMiB }: DaemonEstimate): string {
  const usage = `${round(100 * cores)} % of a core`;
  const memory = `about ${Math.ceil(memoryMiB)} MiB`;
  if (cluster === null && daemons === 1) return `1 is enough; it needs ${usage} and ${memory}`;
  const needed = `${daemons} for the load, ${daemons + 1} if one may fail`;
  return `${needed}; together they need ${usage}, and each of them ${memory}`;
}

function daemonWarnings({ cluster }: Config, { daemons }: DaemonEstimate): string[] {
  return cluster === null && daemons > 1
    ? [
        'one daemon would use more than half of its core; poll less often, watch less, or let several daemons share the accounts (cluster)',
      ]
    : [];
}

/** The requests that discovery adds. The estimate contains only 1 for each target of each cycle. */
function discoveryLines(targets: readonly Target[], { all }: CollectorSet): string[] {
  return all.flatMap(({ discovery, operation, regionDiscovery }) => {
    const finders = targets.filter((target) => target.operation === operation).length;
    const requests =
      regionDiscovery === null
        ? discovery?.requests
        : '1 request an hour; each target of the region * counts once for each region that is found';
    if (requests === undefined || finders === 0) return [];
    return [`discovery           ${operation}, ${finders} times: ${requests}`];
  });
}

function warnings(config: Config, targets: readonly Target[], estimate: CycleEstimate): string[] {
  const { poll } = config;
  const moreDaemons =
    config.cluster === null
      ? ''
      : '. More daemons do not help: the cycle of an account runs on one';
  const interval = estimate.shortestIntervalSeconds;
  return [
    ...(estimate.fits
      ? []
      : [
          `a cycle of ${round(estimate.seconds)} s, jitter of ${poll.jitterMs / 1_000} s on top, does not fit into ${round(interval)} s; cycles will be skipped. Poll less often, raise api.requests_per_second, or watch less${moreDaemons}`,
        ]),
    ...(poll.staleAfterMs / 1_000 > interval
      ? []
      : [
          `stale_after (${poll.staleAfterMs / 1_000} s) is not longer than the ${round(interval)} s between two runs; gauges will come and go. Choose at least twice the interval`,
        ]),
    ...accountsOfSameIdentity(config).map(
      (names) =>
        `the accounts ${names.join(', ')} have the same credentials; they share one rate limit`,
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
