import { Option, type Command } from 'commander';
import { collectors } from '../collectors/collectors.ts';
import type { Config } from '../config/config.ts';
import { placeholderRegion, planTargets } from '../collectors/plan.ts';
import { checkJson, checkReport, type CheckReport } from '../expose/check-report.ts';
import { recordSamples } from '../expose/metrics/record-samples.ts';
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
import { duration } from '../validation/duration.ts';
import { suggestion } from '../validation/nearest.ts';
import { InvalidFileError } from '../validation/problem.ts';
import { checkExitCodes, explain, print, UsageError, type CommandFile } from './command.ts';
import {
  addConfigOption,
  addLogOptions,
  argument,
  repeated,
  type ConfigFlags,
  type LogFlags,
} from './options.ts';
import { findsRegions, pollAll, type Polled } from './poll-all.ts';
import { configName, readConfig } from './read-config.ts';
import { scenarioText } from './scenario-text.ts';

interface CheckFlags extends ConfigFlags, LogFlags {
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

export const examples: CommandFile['examples'] = [
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
];

export function define(command: Command): void {
  addConfigOption(command)
    .option('--account <name>', 'poll only this account; may be repeated', repeated)
    .option('--region <name>', 'poll only this region; may be repeated', repeated)
    .option(
      '--timeout <duration>',
      'end after this time; what has no answer by then counts as unknown',
      argument((text) => timeLimit.safeParse(text).data ?? null, 'a duration up to 1d such as 30s'),
    )
    .addOption(
      new Option('--output <form>', 'the format of the result')
        .choices(Object.keys(outputs))
        .default('table'),
    )
    .option('--all', 'show in the table what is fine, too', false)
    .addOption(thresholdOption('warn', 'warning'))
    .addOption(thresholdOption('critical', 'critical'));
  addLogOptions(command, 'warn').addHelpText('after', exitCodesHelp);
}

const exitCodesHelp = `
Exit codes:
  0  fine: no quota is low, and nothing is unknown
  1  warning: less than the warning threshold of a quota remains
  2  critical: less than the critical threshold of a quota remains, or more is in use than allowed
  3  unknown: a target could not be polled, an answer lacked something, an account that watches quotas
     gave none, or a flag or the file is wrong
If several apply, the first of 2, 3, 1, 0 counts. 130 when interrupted.`;

/** A flag that replaces the threshold of a severity. */
function thresholdOption(name: 'warn' | 'critical', severity: string): Option {
  const expected =
    'a share from 0% to 100% such as 20%, or a count such as 5. A fraction such as 0.2 could mean either';
  return new Option(
    `--${name}-below <threshold>`,
    `status ${severity} when less than this remains of any quota: a share such as 20%, or a count such as 5 (default: thresholds of the configuration)`,
  ).argParser(argument(parseThreshold, expected));
}

/**
 * Polls every target once, and prints how much of each quota remains.
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
    if (flags.output === 'nagios') print(`${statusLine('unknown', reason)}\n`);
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
  const config = { ...loaded, thresholds: replaced(loaded.thresholds, flags) };
  const accounts = config.accounts.map(({ name }) => name);
  refuseUnknown('--account', flags.account, accounts);
  const isWanted = (target: Target) => isSelected(target, flags);
  const log = { level: logLevelOf(flags), format: flags['log.format'] };
  const polled = await pollAll({ config, isWanted, timeLimit, log });
  refuseUnknownRegion(flags, polled);
  const { all } = flags;
  return printReport(polled.records, outputs[flags.output], { config, isWanted, all });
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
function isSelected(target: Target, { account, region }: CheckFlags): boolean {
  const isOfRegion =
    target.region === placeholderRegion || findsRegions(target) || admits(region, target.region);
  return isOfRegion && admits(account, target.account);
}

function admits(names: readonly string[] | undefined, name: string): boolean {
  return names?.includes(name) ?? true;
}

/** Refuses a region that selects no target, if discovery has found all regions. */
function refuseUnknownRegion({ account, region }: CheckFlags, { records, targets }: Polled): void {
  const lists = records.filter((each) => findsRegions(each.target));
  if (lists.some(({ observed }) => observed.freshness.failure !== null)) return;
  const own = targets.filter((each) => !findsRegions(each) && admits(account, each.account));
  refuseUnknown(
    '--region',
    region,
    own.map((each) => each.region),
  );
}

/** The first ten names. */
export function firstOf(names: readonly string[]): string {
  return names.slice(0, 10).join(', ') + (names.length > 10 ? ', …' : '');
}

/**
 * Refuses a name that selects no target: otherwise a check of no quota would pass.
 *
 * @param known the names that select one
 * @param similar the names that may be meant
 * @throws UsageError which names similar names
 */
export function refuseUnknown(
  flag: string,
  names: readonly string[] = [],
  known: readonly string[],
  similar = known,
): void {
  const name = names.find((each) => !known.includes(each));
  if (name === undefined) return;
  const others = firstOf([...new Set(known)]);
  const hint = suggestion(name, similar) || (others && `; others are ${others}`);
  throw new UsageError(`${flag}=${name} selects no target${hint}`);
}

type Form = (report: CheckReport, options: ReportOptions) => string | Promise<string>;

/** The forms of the result. */
export const outputs = {
  table: (report, { all }) => checkTable(report, surface(), all),
  json: (report) => `${JSON.stringify(checkJson(report, Date.now()), null, 2)}\n`,
  // The metrics of this short process are not useful.
  prometheus: async (report, { config: { accounts } }) => {
    const samples = await recordSamples(collectors)(report, accounts);
    return String(Buffer.concat([...piecesOf(samples, 'prometheus')]));
  },
  nagios: nagiosOutput,
  scenario: ({ targets }) => scenarioText(targets.map(({ record }) => record)),
} satisfies Readonly<Record<string, Form>>;

interface ReportOptions {
  readonly config: Config;
  /** Whether a target was to be polled. */
  readonly isWanted: (target: Target) => boolean;
  /** Whether a table shows what is fine, too. */
  readonly all: boolean;
}

/**
 * Prints the result of one poll of every target.
 *
 * @returns the exit code
 */
export async function printReport(
  records: readonly TargetRecord[],
  form: Form,
  options: ReportOptions,
): Promise<number> {
  const { config, isWanted } = options;
  const thresholds = thresholdsAt(config.thresholds, Date.now());
  const planned = planTargets(config, collectors).filter(isWanted);
  const report = checkReport(records, { thresholds, collectors, planned });
  print(await form(report, options));
  return checkExitCodes[report.verdict.level];
}

/** The output. Its width is 100 if it is not a terminal. */
function surface(): Surface {
  const { columns, isTTY } = process.stdout;
  // A terminal without a size reports 0.
  return { paint: paintFor(process.stdout), width: isTTY && columns > 0 ? columns : 100 };
}

/** A timer cannot count 25 days. */
const timeLimit = duration({ min: '1ms', max: '1d' });
const longestMs = 86_400_000;

/** Aborts when the whole command, with the start of its process, has taken too long. */
function timeLimitOf({ timeout = longestMs }: CheckFlags): AbortSignal {
  const limit = new AbortController();
  const reason = new CodedError('Timeout', 'the time limit of the command ended before the answer');
  const restMs = timeout - performance.now();
  setTimeout(() => {
    limit.abort(reason);
  }, restMs).unref();
  return limit.signal;
}
