import { collectors } from '../collectors/collectors.ts';
import { launchTemplateListCollector } from '../collectors/launch-template-list/launch-template-list.ts';
import { quotaSets } from '../collectors/quota/answer.ts';
import type { Config } from '../config/config.ts';
import { estimateCycle, type CycleEstimate } from './cycle-estimate.ts';
import { networkWarnings } from '../config/network-warnings.ts';
import { planTargets } from '../collectors/plan.ts';
import { localDate } from '../schedule/time-zone.ts';
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
import { print, type CommandFile } from './command.ts';
import { addConfigOption, type ConfigFlags } from './options.ts';
import { findsRegions } from './poll-all.ts';
import { configName, readConfig } from './read-config.ts';

export const examples: CommandFile['examples'] = [
  ['check-config --config.file=config.yaml', 'exits 1 when the file has a mistake'],
];

export const define = addConfigOption;

/**
 * Validates a configuration, and says what a daemon would do with it.
 *
 * @throws InvalidFileError with every mistake of the file
 */
export async function run(flags: ConfigFlags): Promise<undefined> {
  const file = flags['config.file'];
  const nowMs = Date.now();
  const config = await readConfig(file);
  const targets = planTargets(config, collectors);
  const estimate = estimateCycle(config, targets, nowMs);
  const thresholds = thresholdsAt(config.thresholds, nowMs);
  const sections = {
    plan: targets.map(targetLine),
    budget: budgetLines(config, targets, estimate),
    thresholds: thresholdsLines(thresholds, config.poll.timezone),
  };
  const warnings = [
    ...networkWarnings(config),
    ...(estimate.fits ? [] : [scheduleWarning(config.poll, estimate)]),
    ...regionWarnings(config),
    ...countWarnings(thresholds, targets),
  ];

  print(`${configName(file)}: valid\n`);
  for (const [title, lines] of Object.entries(sections)) {
    print(`\n${title}\n${lines.map((line) => `  ${line}\n`).join('')}`);
  }
  if (warnings.length > 0) print(`\n${warnings.map((each) => `warning: ${each}\n`).join('')}`);
}

function targetLine(target: Target): string {
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
  const found = targets.some(findsTargets) ? ', and those of what discovery finds' : '';
  return [
    `targets             ${targets.length}`,
    `requests per cycle  ${requests}${found}`,
    `seconds per cycle   ${round(seconds)} at ${api.requestsPerSecond} requests per second, key and operation`,
    `shortest interval   ${round(shortestIntervalSeconds)} s between two runs of "${poll.expression}" (${poll.timezone})`,
  ];
}

/** Whether the answers about a target find further targets. */
function findsTargets(target: Target): boolean {
  return findsRegions(target) || target.operation === launchTemplateListCollector.operation;
}

/** The thresholds that apply now, in the order in which they are tried. */
function thresholdsLines({ overrides, ...general }: Thresholds, timezone: string): string[] {
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
  const all: Readonly<Record<string, readonly string[] | undefined>> = { ...filter };
  const parts = Object.entries(all).flatMap(([key, names]) => {
    const word = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return names === undefined ? [] : `${word} ${names.join(', ')}`;
  });
  return parts.join('; ') || 'every quota';
}

function pairText({ warning, critical }: ThresholdPair, filter: QuotaFilter): string {
  const unit = unitOf(filter);
  return `low ${wordsOf(warning, unit)}, critical ${wordsOf(critical, unit)}`;
}

/** What all quotas of a filter count. Empty if they count different things, or have no unit of their own. */
function unitOf({ quota_types: quotaTypes = Object.keys(quotaSets) }: QuotaFilter): string {
  const sets = new Map(Object.entries(quotaSets));
  const [unit = '', ...others] = new Set(quotaTypes.map((type) => sets.get(type)?.unit));
  return others.length === 0 ? unit : '';
}

function wordsOf(each: Threshold, unit: string): string {
  return 'count' in each
    ? `when fewer than ${each.count}${unit && ` ${unit}`} remain`
    : `when less than ${thresholdText(each)} remains`;
}

function scheduleWarning(
  { jitterMs }: Config['poll'],
  { seconds, shortestIntervalSeconds }: CycleEstimate,
): string {
  return `a cycle of ${round(seconds)} s, jitter of ${jitterMs / 1_000} s on top, does not fit into ${round(shortestIntervalSeconds)} s; cycles will be skipped. Poll less often, raise api.requests_per_second, or watch less`;
}

/** The regions of the service in November 2025 (docs/service.md, section 11). */
export const knownRegions = [
  ...['ap-bangkok', 'ap-beijing', 'ap-chengdu', 'ap-chongqing', 'ap-guangzhou', 'ap-hongkong'],
  ...['ap-jakarta', 'ap-nanjing', 'ap-seoul', 'ap-shanghai', 'ap-shanghai-fsi', 'ap-shenzhen-fsi'],
  ...['ap-singapore', 'ap-tokyo', 'eu-frankfurt', 'na-ashburn', 'na-siliconvalley', 'sa-saopaulo'],
];

/** The service adds regions, so an unknown one is no mistake. */
function regionWarnings({ accounts }: Config): string[] {
  const names = accounts.flatMap(({ discoveredRegions, regions }) => [
    ...regions.map(({ name }) => name),
    ...(discoveredRegions?.except ?? []),
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
function countWarnings(thresholds: Thresholds, targets: readonly Target[]): string[] {
  const warnings = targets.flatMap((target) => {
    const thresholdsOfQuota = thresholdsOf(thresholds, target);
    const reported = collectors.of(target).reportableQuotas(target);
    return reported.flatMap(({ type }) => {
      const limit = usualLimits.get(type) ?? Infinity;
      const counts = thresholdsOfQuota({ type, limit, zone: null, labels: {} });
      const count = Math.max(counts?.warning ?? 0, counts?.critical ?? 0);
      return count > limit
        ? `a threshold of ${type} is ${count}: its usual limit is ${limit}, so fewer always remain`
        : [];
    });
  });
  return [...new Set(warnings)];
}

function round(seconds: number): string {
  return Number.isFinite(seconds) ? String(Math.ceil(seconds * 10) / 10) : 'unlimited';
}
