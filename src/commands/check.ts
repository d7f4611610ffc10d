import type { WriteStream } from 'node:tty';
import { Command, Option } from 'commander';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { collectors as ownCollectors } from '../collectors/collectors.ts';
import type { Config } from '../config/config.ts';
import { anyRegionName, planTargets } from '../config/targets.ts';
import type { Surroundings } from '../daemon/daemon-options.ts';
import { checkJson, checkReport, type CheckReport } from '../expose/check-report.ts';
import { RecordSamples } from '../expose/metrics/record-samples.ts';
import { piecesOf } from '../expose/metrics/text-format.ts';
import { nagiosOutput, statusLine } from '../expose/nagios.ts';
import { checkTable } from '../expose/terminal/check-table.ts';
import { paintFor } from '../expose/terminal/style.ts';
import type { Surface } from '../expose/terminal/table.ts';
import type { LogLevel } from '../log.ts';
import { CodedError } from '../model/coded-error.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import {
  isCriticalAboveWarning,
  parseThreshold,
  thresholdsAt,
  thresholdText,
  type Threshold,
  type Thresholds,
} from '../model/thresholds.ts';
import { suggestion } from '../validation/nearest.ts';
import { parseDurationMs } from '../validation/parse-duration.ts';
import { InvalidFileError } from '../validation/problem.ts';
import {
  checkExitCodes,
  explain,
  print,
  processSurroundings,
  UsageError,
  type ExitWith,
} from './command.ts';
import {
  addConfigOption,
  argument,
  examples,
  logFormatOption,
  logLevelOption,
  repeated,
  type ConfigFlags,
  type LogFlags,
} from './options.ts';
import { pollAll, type Polled } from './poll-all.ts';
import { configName, readConfig } from './read-config.ts';
import { scenarioText } from './scenario-text.ts';

export interface CheckFlags extends ConfigFlags, LogFlags {
  /** Names of accounts. */
  readonly account?: readonly string[];
  /** Names of regions. */
  readonly region?: readonly string[];
  /** In milliseconds, from the start of the process. */
  readonly timeout?: number;
  /** Whether the table shows what is fine, too. */
  readonly all: boolean;
  readonly output: keyof typeof outputs;
  /** Replace the thresholds of the configuration, also those of its overrides. */
  readonly warnBelow?: Threshold;
  readonly criticalBelow?: Threshold;
}

/** `check`: polls every target once, and prints how much of each quota remains. */
export function checkCommand(exitWith: ExitWith): Command {
  return addConfigOption(new Command('check'))
    .option('--account <name>', 'poll only this account; may be repeated', repeated)
    .option('--region <name>', 'poll only this region; may be repeated', repeated)
    .option(
      '--timeout <duration>',
      'end after this time; what has no answer by then counts as unknown',
      argument(parseTimeoutMs, 'a duration of at most a day, such as 30s'),
    )
    .addOption(
      new Option(
        '--output <form>',
        'the format of the result; scenario is a file for emulate, with the quotas and templates that were read',
      )
        .choices(Object.keys(outputs))
        .default('table'),
    )
    .option('--all', 'show in the table what is fine, too', false)
    .addOption(thresholdOption('warn', 'warning'))
    .addOption(thresholdOption('critical', 'critical'))
    .addOption(logLevelOption('warn'))
    .addOption(logFormatOption())
    .addHelpText('after', helpEnd)
    .action((flags: CheckFlags) => check(flags, processSurroundings()).then(exitWith));
}

const helpEnd = `
Exit codes:
  0  fine: no quota is low, and nothing is unknown
  1  warning: less than the warning threshold of a quota remains
  2  critical: less than the critical threshold of a quota remains, or more is in use than allowed
  3  unknown: a target could not be polled, an answer lacked something, an account that watches quotas
     gave none, or a flag or the file is wrong
If several apply, the first of 2, 3, 1, 0 counts. 130 when interrupted.
${examples(
  ['check --config.file=config.yaml', 'what is not fine, and the verdict'],
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
)}`;

/** A flag that replaces the threshold of a severity. */
function thresholdOption(name: 'warn' | 'critical', severity: string): Option {
  const expected =
    'a share from 0% to 100% such as 20%, or a count such as 5. A fraction such as 0.2 could mean either';
  return new Option(
    `--${name}-below <threshold>`,
    `status ${severity} when less than this remains of any quota: a share such as 20%, or a count such as 5 (default: thresholds of the configuration)`,
  ).argParser(argument(parseThreshold, expected));
}

const maxTimeoutMs = 86_400_000;

function parseTimeoutMs(text: string): number | null {
  const timeoutMs = parseDurationMs(text);
  return timeoutMs === 0 || (timeoutMs ?? 0) > maxTimeoutMs ? null : timeoutMs;
}

/**
 * @returns the exit code
 * @throws InvalidFileError for an invalid configuration, also for one that cannot be read in time
 * @throws UsageError for a filter that selects nothing, and for a critical threshold above the warning
 */
export async function check(
  flags: CheckFlags,
  surroundings: Surroundings,
  collectors = ownCollectors,
): Promise<number> {
  try {
    return await checkInTime(flags, surroundings, collectors);
  } catch (error) {
    const [reason = ''] = explain(error).split('\n', 1);
    if (flags.output === 'nagios') print(`${statusLine('unknown', reason)}\n`);
    throw error;
  }
}

async function checkInTime(
  flags: CheckFlags,
  surroundings: Surroundings,
  collectors: CollectorSet,
): Promise<number> {
  const timeLimit = timeLimitOf(flags);
  const file = flags['config.file'];
  const loaded = await readConfig(file, { collectors, signal: timeLimit }).catch(
    (error: unknown) => {
      if (error !== timeLimit.reason) throw error;
      const message = 'the configuration cannot be read within --timeout';
      throw new InvalidFileError(configName(file), message);
    },
  );
  const config = { ...loaded, thresholds: replaced(loaded.thresholds, flags) };
  refuseUnknown(
    '--account',
    flags.account,
    config.accounts.map(({ name }) => name),
  );
  const isWanted = (target: Target) => isSelected(target, flags, collectors);
  const level = logLevelOf(flags);
  const log = { level, format: flags['log.format'] };
  const polled = await pollAll({ config, collectors, surroundings, isWanted, timeLimit, log });
  refuseUnknownRegion(flags, polled, collectors);
  const nowMs = surroundings.clock.now();
  return printReport(polled.records, { ...flags, config, collectors, isWanted, nowMs });
}

/** The table itself shows what the polls warn of. */
function logLevelOf({ output, ...flags }: CheckFlags): LogLevel {
  const level = flags['log.level'];
  return output === 'table' && level !== 'debug' ? 'error' : level;
}

/** The thresholds with those of the flags. With a flag, no override applies. */
function replaced(thresholds: Thresholds, { warnBelow, criticalBelow }: CheckFlags): Thresholds {
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

/** Whether the flags select a target, also before discovery has named its region. */
function isSelected(target: Target, flags: CheckFlags, collectors: CollectorSet): boolean {
  const isOfRegion =
    target.region === anyRegionName ||
    collectors.of(target).regionDiscovery !== null ||
    (flags.region?.includes(target.region) ?? true);
  return isOfRegion && (flags.account?.includes(target.account) ?? true);
}

/** Refuses a region that selects no target, if discovery has found all regions. */
function refuseUnknownRegion(
  { account, region }: CheckFlags,
  { records, targets }: Polled,
  collectors: CollectorSet,
): void {
  const finds = (target: Target) => collectors.of(target).regionDiscovery !== null;
  if (records.some(({ seen, target }) => finds(target) && seen.freshness.failure !== null)) return;
  const own = targets.filter((each) => account?.includes(each.account) ?? true);
  const regions = own.filter((each) => !finds(each)).map((each) => each.region);
  refuseUnknown('--region', region, [...new Set(regions)]);
}

/** Maximum number of names in a message. */
const maxNames = 10;

/**
 * Refuses a name that selects no target: otherwise a check of no quota would pass.
 *
 * @throws UsageError which names similar names
 */
export function refuseUnknown(
  flag: string,
  names: readonly string[] = [],
  known: readonly string[],
): void {
  const name = names.find((each) => !known.includes(each));
  if (name === undefined) return;
  const others = known.slice(0, maxNames).join(', ') + (known.length > maxNames ? ', …' : '');
  const hint = suggestion(name, known) || (others && `; others are ${others}`);
  throw new UsageError(`${flag}=${name} selects no target${hint}`);
}

/** What a form of the result needs besides the report. */
interface FormOptions {
  readonly config: Config;
  readonly nowMs: number;
  /** Whether a table shows what is fine, too. */
  readonly all: boolean;
}

type Form = (report: CheckReport, options: FormOptions) => string | Promise<string>;

/** The forms of the result. */
const outputs = {
  table: (report, { all }) => checkTable(report, surfaceOf(process.stdout), all),
  json: (report, { nowMs }) => `${JSON.stringify(checkJson(report, nowMs), null, 2)}\n`,
  prometheus: exposition,
  nagios: nagiosOutput,
  scenario: ({ targets }) => scenarioText(targets.map(({ record }) => record)),
} satisfies Readonly<Record<string, Form>>;

interface ReportOptions extends FormOptions {
  readonly output: keyof typeof outputs;
  readonly collectors: CollectorSet;
  /** Whether a target was to be polled. */
  readonly isWanted: (target: Target) => boolean;
}

/**
 * Prints the result of one poll of every target.
 *
 * @returns the exit code
 */
export async function printReport(
  records: readonly TargetRecord[],
  { collectors, config, isWanted, nowMs, output, all }: ReportOptions,
): Promise<number> {
  const report = checkReport(records, {
    thresholds: thresholdsAt(config.thresholds, nowMs),
    collectors,
    planned: planTargets(config, collectors).filter(isWanted),
  });
  print(await outputs[output](report, { config, nowMs, all }));
  return checkExitCodes[report.verdict.level];
}

/** Width of the table when the output is not a terminal. */
const pipedWidth = 100;

function surfaceOf(stream: WriteStream): Surface {
  const paint = paintFor(stream);
  // A terminal without a size reports 0.
  return { paint, width: stream.isTTY && stream.columns > 0 ? stream.columns : pipedWidth };
}

/** The metrics of the records. The metrics of this short process are not useful. */
async function exposition(
  report: CheckReport,
  { config: { accounts } }: FormOptions,
): Promise<string> {
  const samples = await new RecordSamples(report.collectors).of({ ...report, accounts });
  return [...piecesOf(samples, 'prometheus')].join('');
}

/** Aborts when the whole command, with the start of its process, has taken too long. */
function timeLimitOf({ timeout = maxTimeoutMs }: CheckFlags): AbortSignal {
  const limit = new AbortController();
  const reason = new CodedError('Timeout', 'the time limit of the command ended before the answer');
  setTimeout(() => {
    limit.abort(reason);
  }, timeout - performance.now()).unref();
  return limit.signal;
}
