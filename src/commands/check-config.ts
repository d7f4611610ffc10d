/** The command `check-config`: prints the targets of a configuration, what a cycle costs, its thresholds and warnings. */
import type { Command } from 'commander';
import { collectors } from '../collectors/collectors.ts';
import { planTargets } from '../collectors/plan.ts';
import { quotaSets } from '../collectors/quota/answer.ts';
import { networkWarnings, type Config } from '../config/config.ts';
import { callerOf } from '../credentials/types.ts';
import type { Target } from '../model/target.ts';
import {
  thresholdsAt,
  thresholdText,
  type OverrideFilter,
  type Threshold,
  type ThresholdPair,
  type Thresholds,
} from '../model/thresholds.ts';
import { shortestIntervalMs } from '../schedule/cron.ts';
import { localDate } from '../schedule/local-days.ts';
import { printResult, type CommandFile } from './command.ts';
import {
  countWarnings,
  filterText,
  findsTemplates,
  overrideWarnings,
  regionWarnings,
} from './config-warnings.ts';
import { addConfigOption, type ConfigFlags } from './options.ts';
import { findsRegions } from './poll-all.ts';
import { configName, readConfig } from './read-config.ts';

export const examples: CommandFile['examples'] = [
  ['check-config config.yaml', 'exits 1 when the file has a mistake'],
];

/** The file can be an argument, as in `check-web-config`, or the value of `--config.file`. It becomes that flag for `run`. */
export function define(command: Command): void {
  command.argument('[file]', 'the configuration file, in place of --config.file', (file) => {
    if (command.getOptionValue('config.file') !== undefined) {
      command.error('error: the configuration file is named twice');
    }
    command.setOptionValue('config.file', file);
  });
  addConfigOption(command);
}

/** @throws InvalidFileError with every mistake of the file */
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
    thresholds: thresholdLines(thresholds, config.poll.timezone),
  };
  const warnings = [
    ...networkWarnings(config),
    ...(estimate.fits ? [] : [scheduleWarning(config.poll, estimate)]),
    ...regionWarnings(config),
    ...countWarnings(thresholds, targets),
    ...overrideWarnings(config, targets, nowMs),
  ];

  printResult(`${configName(file)}: valid\n`);
  for (const [title, lines] of Object.entries(sections)) {
    printResult(`\n${title}\n${lines.map((line) => `  ${line}\n`).join('')}`);
  }
  if (warnings.length > 0) {
    printResult(`\n${warnings.map((warning) => `warning: ${warning}\n`).join('')}`);
  }
}

/** A line of the section `plan`: account, region, operation, the resource if there is one, and what is asked for. */
function targetLine(target: Target): string {
  const { account, region, operation, resource = {} } = target;
  const details = collectors.of(target).details(target);
  const parts = [account, region, operation, ...Object.values(resource), details];
  return parts.filter((part) => part !== '').join('  ');
}

/** The thresholds, in the order in which they are tried: each override, then the general pair. */
function thresholdLines({ overrides, ...general }: Thresholds, timezone: string): string[] {
  const lines = overrides.map(({ filter, thresholds, untilMs }) => {
    const effect = thresholds === null ? 'muted' : pairText(thresholds, filter);
    // The end is excluded, so the last day ends a millisecond before it.
    const until = untilMs === Infinity ? '' : `, until ${localDate(untilMs - 1, timezone)}`;
    return `${filterText(filter)}: ${effect}${until}`;
  });
  const scope = lines.length === 0 ? 'every quota' : 'every other quota';
  return [...lines, `${scope}: ${pairText(general, {})}`];
}

function pairText({ warning, critical }: ThresholdPair, filter: OverrideFilter): string {
  const unit = unitOf(filter);
  return `low ${thresholdPhrase(warning, unit)}, critical ${thresholdPhrase(critical, unit)}`;
}

/** The unit of all quotas of a filter, such as `instances`. Empty if they have different units, or none. */
function unitOf({ quota_types: quotaTypes = Object.keys(quotaSets) }: OverrideFilter): string {
  const sets = new Map(Object.entries(quotaSets));
  const [unit = '', ...otherUnits] = new Set(quotaTypes.map((type) => sets.get(type)?.unit));
  return otherUnits.length === 0 ? unit : '';
}

/** @param unit empty for none */
function thresholdPhrase(threshold: Threshold, unit: string): string {
  return 'count' in threshold
    ? `when fewer than ${threshold.count}${unit && ` ${unit}`} remain`
    : `when less than ${thresholdText(threshold)} remains`;
}

/** The requests and duration of a cycle, and the interval of its schedule. */
type CycleEstimate = ReturnType<typeof estimateCycle>;

/** Estimates a cycle from the configured rate and the run times of the schedule after now. It ignores latency and retries. */
export function estimateCycle(config: Config, targets: readonly Target[], nowMs: number) {
  // A key has one rate limit for each operation, which the accounts with this key share.
  const callers = new Map(
    config.accounts.map(({ name, credentials }) => [name, callerOf(name, credentials)]),
  );
  const requestsByLimit = new Map<string, number>();
  // Region discovery and prices have an interval: few cycles poll them. A valid configuration has other targets, too.
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

/** The section `budget` of the output, a line for each figure. None includes the targets that answers can find. */
function budgetLines({ api, poll }: Config, targets: readonly Target[], estimate: CycleEstimate) {
  const findsTargets = targets.some((target) => findsRegions(target) || findsTemplates(target));
  const found = findsTargets ? ', and those of what discovery finds' : '';
  return [
    `targets             ${targets.length}`,
    `requests per cycle  ${estimate.requests}${found}`,
    `seconds per cycle   ${roundUp(estimate.seconds)} at ${api.requestsPerSecond} requests per second, key and operation`,
    `shortest interval   ${roundUp(estimate.shortestIntervalSeconds)} s between two runs of "${poll.expression}" (${poll.timezone})`,
  ];
}

/** The warning about a cycle that does not fit into the schedule. */
function scheduleWarning({ jitterMs }: Config['poll'], estimate: CycleEstimate): string {
  const { seconds, shortestIntervalSeconds } = estimate;
  return `a cycle of ${roundUp(seconds)} s, jitter of ${jitterMs / 1_000} s on top, does not fit into ${roundUp(shortestIntervalSeconds)} s; cycles will be skipped. Poll less often, raise api.requests_per_second, or watch less`;
}

/** Seconds, rounded up to a tenth. `unlimited` for `Infinity`, such as the interval of a schedule with one run. */
function roundUp(seconds: number): string {
  return Number.isFinite(seconds) ? String(Math.ceil(seconds * 10) / 10) : 'unlimited';
}
