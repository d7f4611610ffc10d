/**
 * The command `check`: polls targets once, prints a report, and says with its exit code whether quotas and launches are fine.
 * Without `--launch` and `--plan` it judges all that is watched; with them only what they ask about (asked-report.ts).
 */
import { Option, type Command } from 'commander';
import { collectors } from '../collectors/collectors.ts';
import { placeholderRegion, planTargets } from '../collectors/plan.ts';
import { checkReport } from '../expose/check-report.ts';
import { statusLine } from '../expose/nagios.ts';
import type { LogLevel } from '../log.ts';
import type { Config } from '../config/config.ts';
import { CodedError } from '../model/coded-error.ts';
import type { Target } from '../model/target.ts';
import {
  isCriticalAboveWarning,
  parseThreshold,
  thresholdsAt,
  thresholdText,
  type Threshold,
  type Thresholds,
} from '../model/thresholds.ts';
import {
  english,
  languageOf,
  languages,
  textsOf,
  type Language,
  type Texts,
} from '../model/texts/texts.ts';
import { duration } from '../validation/duration.ts';
import { InvalidFileError } from '../validation/problem.ts';
import { reportOfAsked, type HowToPoll } from './asked-report.ts';
import { checkExitCodes, explain, printResult, UsageError, type CommandFile } from './command.ts';
import {
  addConfigOption,
  addLogOptions,
  argumentParser,
  isSelected,
  refuseUnknownNames,
  repeatable,
  repeatableText,
  type ConfigFlags,
  type LogFlags,
} from './options.ts';
import { parseSource, sourceForms, type AskedFlags } from './asked-launches.ts';
import { findsRegions, pollAll, type PolledTargets } from './poll-all.ts';
import { renderers } from './renderers.ts';
import { configName, readConfig } from './read-config.ts';

interface CheckFlags extends ConfigFlags, LogFlags, AskedFlags {
  /** In milliseconds, from the start of the process. */
  readonly timeout?: number;
  /** True: the table also shows what is fine. */
  readonly all: boolean;
  readonly output: keyof typeof renderers;
  /** Of the table and of Markdown. Default: that of the environment. */
  readonly lang?: Language;
  /** Replace the thresholds of the configuration, also those of its overrides. */
  readonly warnBelow?: Threshold;
  readonly criticalBelow?: Threshold;
}

export const examples: CommandFile['examples'] = [
  ['check --config.file=config.yaml', 'the quotas and launches that are not fine, and the verdict'],
  [
    'check --config.file=config.yaml --warn-below=30% --critical-below=15%',
    'other thresholds than those of the configuration, for every quota',
  ],
  [
    "check --config.file=config.yaml --output=json | jq '.quotas[0]'",
    'the worst quota, for a script',
  ],
  [
    'check --config.file=config.yaml --output=scenario > scenario.yaml',
    'then emulate --scenario=scenario.yaml rehearses alerts on these figures',
  ],
];

export function define(command: Command): void {
  addConfigOption(command)
    .option('--account <name>', 'poll only this account; may be repeated', repeatableText)
    .option('--region <name>', 'poll only this region; may be repeated', repeatableText)
    .option(
      '--launch <source>',
      'ask whether so many instances would start now, such as lt-b8v1kcyq:40; may be repeated, judged together',
      repeatable(argumentParser(parseSource, sourceForms)),
    )
    .option(
      '--plan <file>',
      'ask about what a plan of Terraform creates: the output of terraform show -json; - is standard input',
    )
    .option(
      '--timeout <duration>',
      'end after this time; what has no answer by then counts as unknown',
      argumentParser(
        (text) => timeoutSchema.safeParse(text).data ?? null,
        'a duration up to 1d such as 30s',
      ),
    )
    .addOption(
      new Option('--output <form>', 'the format of the result')
        .choices(Object.keys(renderers))
        .default('table'),
    )
    .addOption(
      new Option(
        '--lang <language>',
        'the language of the table and of Markdown (default: that of LC_ALL, LC_MESSAGES or LANG)',
      ).choices(languages),
    )
    .option(
      '--all',
      'show in the table what is fine, too, and ask for the price of every version',
      false,
    )
    .addOption(thresholdOption('warn', 'warning'))
    .addOption(thresholdOption('critical', 'critical'));
  addLogOptions(command, 'warn').addHelpText('after', exitCodesHelp);
}

/** When `check` ends with each exit code, for its help and docs/check.md. The order counts: the codes are 0 to 3. */
export const exitCodeTexts = {
  fine: 'no quota is low, every launch that is judged can start, and nothing is unknown; or there is nothing to judge',
  warning: 'less than the warning threshold of a quota remains, or a launch is at risk',
  critical:
    'less than the critical threshold of a quota remains, more is in use than the limit allows, or a launch is blocked',
  unknown:
    'a target could not be polled, an answer lacked something, an account that watches quotas gave none, a launch is not known to succeed or is not judged, or a flag, the file or a plan is wrong',
} as const;

const codeLines = Object.entries(exitCodeTexts).map(
  ([status, text], index) => `  ${index}  ${status}: ${text}\n`,
);
const exitCodesHelp = `
Exit codes:
${codeLines.join('')}If several apply, the first of 2, 3, 1, 0 counts. 130 when interrupted.`;

/** A flag that replaces the threshold of a severity. */
function thresholdOption(name: 'warn' | 'critical', severity: string): Option {
  const expected =
    'a share from 0% to 100% such as 20%, or a count such as 5. A fraction such as 0.2 could mean either';
  return new Option(
    `--${name}-below <threshold>`,
    `status ${severity} when less than this remains of any quota: a share such as 20%, or a count such as 5 (default: thresholds of the configuration)`,
  ).argParser(argumentParser(parseThreshold, expected));
}

/**
 * With `--output=nagios`, an error is also printed as the line that Nagios shows.
 *
 * @returns the exit code
 * @throws InvalidFileError for an invalid configuration, also for one that cannot be read in time
 * @throws UsageError for a filter that selects nothing, and for a critical threshold above the warning
 */
export async function run(flags: CheckFlags): Promise<number> {
  try {
    return await check(flags);
  } catch (error) {
    const [reason = ''] = explain(error).split('\n', 1);
    if (flags.output === 'nagios') printResult(`${statusLine('unknown', reason)}\n`);
    throw error;
  }
}

async function check(flags: CheckFlags): Promise<number> {
  const timeLimit = timeLimitOf(flags);
  const file = flags['config.file'];
  const loaded = await readConfig(file, { signal: timeLimit }).catch((error: unknown) => {
    if (error !== timeLimit.reason) throw error;
    const message = 'the configuration cannot be read within --timeout';
    throw new InvalidFileError(configName(file), message);
  });
  const thresholds = thresholdsAt(thresholdsWithFlags(loaded.thresholds, flags), Date.now());
  const config = { ...loaded, thresholds };
  const { accounts } = config;
  const accountNames = accounts.map(({ name }) => name);
  refuseUnknownNames('--account', flags.account, accountNames);
  const { all, output } = flags;
  const log = { level: logLevelOf(flags), format: flags['log.format'] };
  const how = { timeLimit, log, texts: textsOfFlags(flags) };
  const isAsked = flags.launch !== undefined || flags.plan !== undefined;
  const report = await (isAsked ? reportOfAsked : reportOfWatched)(config, flags, how);
  printResult(await renderers[output](report, { accounts, all }));
  return checkExitCodes[report.verdict.severity];
}

/**
 * Polls and judges all that is watched, as far as `--account` and `--region` select it. Every region selects the targets of
 * the placeholder region, and the target that finds the regions.
 */
async function reportOfWatched(config: Config, flags: CheckFlags, how: HowToPoll) {
  const isWanted = (target: Target) => {
    const isOfEveryRegion = target.region === placeholderRegion || findsRegions(target);
    const isInRegion = isOfEveryRegion || isSelected(flags.region, target.region);
    return isInRegion && isSelected(flags.account, target.account);
  };
  const polled = await pollAll({ ...how, config, isWanted, allPrices: flags.all });
  refuseUnknownRegion(flags, polled);
  const { texts } = how;
  const planned = planTargets(config, collectors).filter(isWanted);
  return checkReport(polled.records, { collectors, planned, texts, thresholds: config.thresholds });
}

/** The texts in the language of `--lang` or else of the environment. In forms that programs read, they stay English. */
function textsOfFlags({ lang, output }: CheckFlags): Texts {
  const { LANG = '', LC_ALL = '', LC_MESSAGES = '' } = process.env;
  const isForPeople = output === 'table' || output === 'markdown';
  const language = lang ?? languageOf(LC_ALL || LC_MESSAGES || LANG) ?? 'en';
  return isForPeople ? textsOf(language) : english;
}

/** The lowest severity that is logged. With a table: errors only, as it shows what polls warn of, unless a flag says `debug`. */
function logLevelOf({ output, ...flags }: CheckFlags): LogLevel {
  const level = flags['log.level'];
  return output === 'table' && level !== 'debug' ? 'error' : level;
}

/**
 * The thresholds of the configuration, replaced by those of the flags. With a flag, no override applies.
 *
 * @throws UsageError when the critical threshold is then above the warning
 */
function thresholdsWithFlags(thresholds: Thresholds, flags: CheckFlags): Thresholds {
  const { warnBelow, criticalBelow } = flags;
  if (warnBelow === undefined && criticalBelow === undefined) return thresholds;
  const warning = warnBelow ?? thresholds.warning;
  const critical = criticalBelow ?? thresholds.critical;
  if (isCriticalAboveWarning({ warning, critical })) {
    throw new UsageError(
      `the critical threshold ${thresholdText(critical)} is above the warning threshold ${thresholdText(warning)}: set --warn-below and --critical-below`,
    );
  }
  return { warning, critical, overrides: [] };
}

/**
 * Refuses a region of `--region` that selects no target. Called after the polls, as answers may find regions. Does nothing if
 * a list of regions failed, because it might have found the region.
 *
 * @throws UsageError which names a region
 */
function refuseUnknownRegion({ account, region }: CheckFlags, polled: PolledTargets): void {
  const regionLists = polled.records.filter((record) => findsRegions(record.target));
  if (regionLists.some(({ observed }) => observed.freshness.failure !== null)) return;
  const regions = polled.targets
    .filter((target) => !findsRegions(target) && isSelected(account, target.account))
    .map((target) => target.region);
  refuseUnknownNames('--region', region, regions);
}

/** At most a day, because a timer of Node.js ends at once if it is set to 25 days or more. */
const timeoutSchema = duration({ min: '1ms', max: '1d' });
const maxTimeoutMs = 86_400_000;

/** A signal that aborts with a CodedError `Timeout` when the process has run for the time of `--timeout`, by default a day. */
function timeLimitOf({ timeout = maxTimeoutMs }: CheckFlags): AbortSignal {
  const limit = new AbortController();
  const reason = new CodedError('Timeout', 'the time limit of the command ended before the answer');
  // Node.js warns of a negative delay.
  const remainingMs = Math.max(0, timeout - performance.now());
  setTimeout(() => {
    limit.abort(reason);
  }, remainingMs).unref();
  return limit.signal;
}
