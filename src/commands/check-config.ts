import { Command } from 'commander';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { collectors as ownCollectors } from '../collectors/collectors.ts';
import { quotaSets } from '../collectors/quota/answer.ts';
import type { Config, PollConfig } from '../config/config.ts';
import { estimateCycle, type CycleEstimate } from '../config/cycle-estimate.ts';
import { networkWarnings } from '../config/network-text.ts';
import { planTargets } from '../config/targets.ts';
import { localDate } from '../config/time-zone.ts';
import { chargeTypes } from '../model/launch.ts';
import type { Target } from '../model/target.ts';
import {
  thresholdsAt,
  thresholdsOf,
  thresholdText,
  type QuotaFilter,
  type Threshold,
  type ThresholdPair,
  type Thresholds,
} from '../model/thresholds.ts';
import { suggestion } from '../validation/nearest.ts';
import { print } from './command.ts';
import { addConfigOption, examples, type ConfigFlags } from './options.ts';
import { configName, readConfig } from './read-config.ts';

/** `check-config`: validates a configuration, and says what a daemon would do with it. */
export function checkConfigCommand(): Command {
  return addConfigOption(new Command('check-config'))
    .addHelpText(
      'after',
      examples(['check-config --config.file=config.yaml', 'exits 1 when the file has a mistake']),
    )
    .action((flags: ConfigFlags) => checkConfig(flags));
}

/** @throws InvalidFileError with every mistake of the file */
export async function checkConfig(flags: ConfigFlags, collectors = ownCollectors): Promise<void> {
  const file = flags['config.file'];
  const nowMs = Date.now();
  const config = await readConfig(file, { collectors });
  const targets = planTargets(config, collectors);
  const estimate = estimateCycle(config, targets, nowMs);
  const thresholds = thresholdsAt(config.thresholds, nowMs);
  const sections = {
    plan: targets.map((each) => targetLine(each, collectors)),
    budget: [...budgetLines(config, targets, estimate), ...furtherLines(targets, collectors)],
    launches: launchLines(targets, collectors),
    thresholds: thresholdsLines(thresholds, config.poll),
  };
  const warnings = [
    ...networkWarnings(config),
    ...scheduleWarnings(config, estimate),
    ...regionWarnings(config),
    ...countWarnings(thresholds, targets, collectors),
  ];

  print(`${configName(file)}: valid\n`);
  for (const [title, lines] of Object.entries(sections)) {
    if (lines.length > 0) print(`\n${title}\n${lines.map((line) => `  ${line}\n`).join('')}`);
  }
  if (warnings.length > 0) print(`\n${warnings.map((each) => `warning: ${each}\n`).join('')}`);
}

function targetLine(target: Target, collectors: CollectorSet): string {
  const { account, region, operation, resource = {} } = target;
  const details = collectors.of(target).details(target);
  const parts = [account, region, operation, ...Object.values(resource), details];
  return parts.filter((part) => part !== '').join('  ');
}

function budgetLines(
  { api, poll }: Config,
  targets: readonly Target[],
  { requests, seconds, shortestIntervalSeconds }: CycleEstimate,
): string[] {
  return [
    `targets             ${targets.length}`,
    `requests per cycle  ${requests}`,
    `seconds per cycle   ${round(seconds)} at ${api.requestsPerSecond} requests per second, key and operation`,
    `shortest interval   ${round(shortestIntervalSeconds)} s between two runs of "${poll.expression}" (${poll.timezone})`,
  ];
}

/** What operations need more. The estimate contains only 1 for each target of each cycle. */
function furtherLines(targets: readonly Target[], { all }: CollectorSet): string[] {
  return all.flatMap(({ operation, regionDiscovery, requests: more }) => {
    const finders = targets.filter((target) => target.operation === operation).length;
    const requests =
      regionDiscovery === null
        ? more
        : '1 request an hour; each target of the region * counts once for each region that is found';
    if (requests === '' || finders === 0) return [];
    return [`further requests    ${operation}, ${finders} times: ${requests}`];
  });
}

/** What launches are judged by. A quota that is not asked for sets no bound. */
function launchLines(targets: readonly Target[], collectors: CollectorSet): string[] {
  const regions = targets.filter((target) => collectors.of(target).kind === 'stock');
  return regions.map(({ account, region }) => {
    const asked = targets
      .filter((target) => target.account === account && target.region === region)
      .flatMap((target) => collectors.of(target).reportableQuotas(target))
      .filter(({ type }) => chargeTypes.some((each) => each === type));
    const left = chargeTypes.filter((each) => !asked.some(({ type }) => type === each));
    const zones = asked.find((each) => each.zones !== null)?.zones;
    return [
      `${account}  ${region}  judged by ${asked.length === 0 ? '' : 'quota, '}stock and subnet`,
      left.length > 0 && `not by quotas of ${left.join(', ')}, which are not asked for`,
      zones && `by quotas in ${zones.join(', ')} only`,
    ]
      .filter(Boolean)
      .join('; ');
  });
}

/** The thresholds that apply now, in the order in which they are tried. */
function thresholdsLines(
  { overrides, ...general }: Thresholds,
  { timezone }: Pick<PollConfig, 'timezone'>,
): string[] {
  const lines = overrides.map(({ filter, thresholds, untilMs }) => {
    const words = thresholds === null ? 'muted' : pairText(thresholds, filter);
    const until = untilMs === Infinity ? '' : `, until ${localDate(untilMs - 1, timezone)}`;
    return `${filterText(filter)}: ${words}${until}`;
  });
  const rest = lines.length === 0 ? 'every quota' : 'every other quota';
  return [...lines, `${rest}: ${pairText(general, {})}`];
}

/** In the words of the configuration. */
function filterText(filter: QuotaFilter): string {
  const parts = Object.entries<readonly string[] | undefined>({ ...filter }).flatMap(
    ([key, names]) => (names === undefined ? [] : [`${inSnakeCase(key)} ${names.join(', ')}`]),
  );
  return parts.length === 0 ? 'every quota' : parts.join('; ');
}

function inSnakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function pairText({ warning, critical }: ThresholdPair, filter: QuotaFilter): string {
  const unit = unitOf(filter);
  return `low ${wordsOf(warning, unit)}, critical ${wordsOf(critical, unit)}`;
}

/** What all quotas of a filter count. Empty if they count different things. */
function unitOf({ quotaTypes }: QuotaFilter): string {
  const types = quotaTypes ?? Object.keys(quotaSets);
  const [first = '', ...others] = new Set(types.map((type) => unitsOf.get(type)));
  return others.length === 0 ? first : '';
}

const unitsOf: ReadonlyMap<string, string> = new Map(
  Object.entries(quotaSets).map(([type, { unit }]) => [type, unit]),
);

function wordsOf(each: Threshold, unit: string): string {
  return 'count' in each
    ? `when fewer than ${each.count}${unit && ` ${unit}`} remain`
    : `when less than ${thresholdText(each)} remains`;
}

function scheduleWarnings(
  { cluster, poll }: Config,
  { fits, seconds, shortestIntervalSeconds: interval }: CycleEstimate,
): string[] {
  const moreDaemons =
    cluster === null ? '' : '. More daemons do not help: the cycle of an account runs on one';
  const staleAfter = poll.staleAfterMs / 1_000;
  return [
    !fits &&
      `a cycle of ${round(seconds)} s, jitter of ${poll.jitterMs / 1_000} s on top, does not fit into ${round(interval)} s; cycles will be skipped. Poll less often, raise api.requests_per_second, or watch less${moreDaemons}`,
    staleAfter <= interval &&
      `stale_after (${staleAfter} s) is not longer than the ${round(interval)} s between two runs; gauges will come and go. Choose at least twice the interval`,
  ].filter((warning) => warning !== false);
}

/** The regions of the service in November 2025 (docs/service.md, section 11). */
export const knownRegions = [
  ...['ap-bangkok', 'ap-beijing', 'ap-chengdu', 'ap-chongqing', 'ap-guangzhou', 'ap-hongkong'],
  ...['ap-jakarta', 'ap-nanjing', 'ap-seoul', 'ap-shanghai', 'ap-shanghai-fsi', 'ap-shenzhen-fsi'],
  ...['ap-singapore', 'ap-tokyo', 'eu-frankfurt', 'na-ashburn', 'na-siliconvalley', 'sa-saopaulo'],
];

/** The service adds regions, so an unknown one is no mistake. */
function regionWarnings({ accounts }: Config): string[] {
  const names = accounts.flatMap(({ everyRegion, regions }) => [
    ...regions.map(({ name }) => name),
    ...(everyRegion?.except ?? []),
  ]);
  return [...new Set(names)]
    .filter((name) => !knownRegions.includes(name))
    .map(
      (name) =>
        `${name} is none of the regions that were known in November 2025${suggestion(name, knownRegions)}`,
    );
}

/** Limits that most accounts have. The other types have limits of hundreds. */
const usualLimits: ReadonlyMap<string, number> = new Map([
  ['image', 10],
  ['disaster_recover_group', 10],
  ['launch_template_versions', 30],
]);

/** A count above the limit of a quota makes it low for ever. */
function countWarnings(
  thresholds: Thresholds,
  targets: readonly Target[],
  collectors: CollectorSet,
): string[] {
  const warnings = targets.flatMap((target) => {
    const thresholdsOfQuota = thresholdsOf(thresholds, target);
    return collectors
      .of(target)
      .reportableQuotas(target)
      .flatMap(({ type }) => {
        const limit = usualLimits.get(type);
        if (limit === undefined) return [];
        const counts = thresholdsOfQuota({ type, limit, zone: null, labels: {} });
        return (['warning', 'critical'] as const).flatMap((severity) => {
          const count = counts?.[severity] ?? 0;
          return count > limit
            ? [
                `the ${severity} threshold of ${type} is ${count}: its usual limit is ${limit}, so fewer always remain`,
              ]
            : [];
        });
      });
  });
  return [...new Set(warnings)];
}

function round(seconds: number): string {
  return Number.isFinite(seconds) ? String(Math.ceil(seconds * 10) / 10) : 'unlimited';
}
