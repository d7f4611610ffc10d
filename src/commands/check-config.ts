import { Command } from 'commander';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { collectors as ownCollectors } from '../collectors/collectors.ts';
import { quotaSets } from '../collectors/quota/selection.ts';
import type { Config } from '../config/config.ts';
import { estimateCycle, type CycleEstimate } from '../config/cycle-estimate.ts';
import { networkWarnings } from '../config/network-text.ts';
import { planTargets } from '../config/targets.ts';
import { localDate } from '../config/time-zone.ts';
import { chargeTypes } from '../model/launch.ts';
import type { Target } from '../model/target.ts';
import {
  everyQuota,
  thresholdsAt,
  thresholdText,
  type QuotaFilter,
  type Threshold,
  type ThresholdPair,
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

  print(`${configName(file)}: valid\n`);
  print(
    section(
      'plan',
      targets.map((each) => targetLine(each, collectors)),
    ),
  );
  print(
    section('budget', [
      ...budgetLines(config, targets, estimate),
      ...furtherLines(targets, collectors),
    ]),
  );
  const launches = launchLines(targets, collectors);
  if (launches.length > 0) print(section('launches', launches));
  print(section('thresholds', thresholdsLines(config, nowMs)));
  const warnings = [
    ...networkWarnings(config),
    ...scheduleWarnings(config, estimate),
    ...regionWarnings(config),
    ...countWarnings(config, targets, collectors),
  ];
  if (warnings.length > 0) print(`\n${warnings.map((each) => `warning: ${each}\n`).join('')}`);
}

function section(title: string, lines: readonly string[]): string {
  return `\n${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
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
  const reportable = targets.flatMap((target) =>
    collectors
      .of(target)
      .reportableQuotas(target)
      .map((quotas) => ({ ...quotas, account: target.account, region: target.region })),
  );
  return targets.flatMap(({ account, operation, region }) => {
    if (collectors.of({ operation }).kind !== 'stock') return [];
    const asked = reportable.filter((each) => each.account === account && each.region === region);
    const of = (type: string) => asked.find((each) => each.type === type);
    const left = chargeTypes.filter((type) => of(type) === undefined);
    const zones = chargeTypes.map((type) => of(type)?.zones ?? null).find((each) => each !== null);
    return [
      [
        `${account}  ${region}  judged by ${left.length === chargeTypes.length ? '' : 'quota, '}stock and subnet`,
        ...(left.length === 0
          ? []
          : [`not by quotas of ${left.join(', ')}, which are not asked for`]),
        ...(zones === undefined ? [] : [`by quotas in ${zones.join(', ')} only`]),
      ].join('; '),
    ];
  });
}

/** The thresholds that apply now, in the order in which they are tried. */
function thresholdsLines({ poll, thresholds }: Config, nowMs: number): string[] {
  const { overrides, ...general } = thresholdsAt(thresholds, nowMs);
  const lines = overrides.map(({ filter, thresholds: pair, untilMs }) => {
    const words = pair === null ? 'muted' : pairText(pair, unitOf(filter));
    const until = untilMs === Infinity ? '' : `, until ${localDate(untilMs - 1, poll.timezone)}`;
    return `${filterText(filter)}: ${words}${until}`;
  });
  const rest = lines.length === 0 ? 'every quota' : 'every other quota';
  return [...lines, `${rest}: ${pairText(general, '')}`];
}

function filterText(filter: QuotaFilter): string {
  const named = {
    accounts: filter.accounts,
    regions: filter.regions,
    zones: filter.zones,
    quota_types: filter.quotaTypes,
    launch_templates: filter.launchTemplates,
    subnets: filter.subnets,
    charge_types: filter.chargeTypes,
  };
  const parts = Object.entries(named).flatMap(([key, names]) =>
    names === null ? [] : [`${key} ${names.join(', ')}`],
  );
  return parts.length === 0 ? 'every quota' : parts.join('; ');
}

/** What all quotas of a filter count. Empty if they count different things. */
function unitOf({ quotaTypes }: QuotaFilter): string {
  const units = (quotaTypes ?? Object.keys(quotaSets)).map((type) => unitsOf.get(type));
  const [first = ''] = units;
  return units.every((unit) => unit === first) ? `${first} ` : '';
}

const unitsOf = new Map<string, string>(
  Object.entries(quotaSets).map(([type, { unit }]) => [type, unit]),
);

function pairText({ warning, critical }: ThresholdPair, unit: string): string {
  return `low ${wordsOf(warning, unit)}, critical ${wordsOf(critical, unit)}`;
}

function wordsOf(each: Threshold, unit: string): string {
  return 'count' in each
    ? `when fewer than ${each.count} ${unit}remain`
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
const usualLimits = { image: 10, disaster_recover_group: 10, launch_template_versions: 30 };

/** A count above the limit of a quota makes it low for ever. */
function countWarnings(
  { thresholds }: Config,
  targets: readonly Target[],
  collectors: CollectorSet,
): string[] {
  const watched = new Set(
    targets.flatMap((each) =>
      collectors
        .of(each)
        .reportableQuotas(each)
        .map(({ type }) => type),
    ),
  );
  const pairs = thresholds.overrides.map(({ filter, thresholds: pair }, i) => ({
    name: `thresholds.overrides[${i}].`,
    filter,
    pair,
  }));
  const overridden = (type: string) =>
    thresholds.overrides.some(
      ({ filter: { quotaTypes, ...rest } }) =>
        (quotaTypes?.includes(type) ?? true) && Object.values(rest).every((each) => each === null),
    );
  return [...pairs, { name: 'thresholds.', filter: everyQuota, pair: thresholds }].flatMap(
    ({ filter: { quotaTypes }, name, pair }) =>
      Object.entries(usualLimits)
        .filter(([type]) => watched.has(type) && (quotaTypes?.includes(type) ?? !overridden(type)))
        .flatMap(([type, limit]) =>
          (['warning', 'critical'] as const).flatMap((severity) => {
            const threshold = pair?.[severity];
            if (threshold === undefined || !('count' in threshold) || threshold.count <= limit)
              return [];
            return [
              `${name}${severity} is ${threshold.count}: ${type} usually has a limit of ${limit}, so fewer always remain`,
            ];
          }),
        ),
  );
}

function round(seconds: number): string {
  return Number.isFinite(seconds) ? String(Math.ceil(seconds * 10) / 10) : 'unlimited';
}
