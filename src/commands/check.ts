import type { WriteStream } from 'node:tty';
import { Command, InvalidArgumentError, Option } from 'commander';
import { silentObserver } from '../api/observer.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { collectors as ownCollectors } from '../collectors/collectors.ts';
import type { Config } from '../config/config.ts';
import { anyRegionName, planAccount, planTargets } from '../config/targets.ts';
import { readBuildInfo, userAgentOf } from '../daemon/build-info.ts';
import { Clients } from '../daemon/clients.ts';
import type { Surroundings } from '../daemon/surroundings.ts';
import { checkJson } from '../expose/check-json.ts';
import { checkReport, type CheckReport } from '../expose/check-report.ts';
import { RecordTexts } from '../expose/metrics/record-texts.ts';
import { encodeTexts } from '../expose/metrics/text-format.ts';
import { nagiosOutput, statusLine } from '../expose/nagios.ts';
import { checkTable } from '../expose/terminal/check-table.ts';
import { paintFor } from '../expose/terminal/style.ts';
import type { Surface } from '../expose/terminal/table.ts';
import { createLogger, type Logger } from '../log.ts';
import { CodedError } from '../model/coded-error.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import {
  isCriticalAboveWarning,
  parseThreshold,
  thresholdsAt,
  thresholdText,
  type Threshold,
  type Thresholds,
} from '../model/thresholds.ts';
import { PollLog } from '../poll/poll-log.ts';
import { pollOnce, type PolledRecords } from '../poll/poll-once.ts';
import { nearest } from '../validation/nearest.ts';
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
  examples,
  logFormatOption,
  logLevelOption,
  namesOption,
  validArgument,
  type ConfigFlags,
  type LogFlags,
} from './options.ts';
import { Progress } from './progress.ts';
import { configName, readConfig } from './read-config.ts';
import { scenarioText } from './scenario-text.ts';
import { exitCodeOf, forceExit, onSignals, type HandledSignal } from './signals.ts';

const outputs = ['table', 'json', 'prometheus', 'nagios', 'scenario'] as const;

export interface CheckFlags extends ConfigFlags, LogFlags {
  /** Names of accounts. */
  readonly account?: readonly string[];
  /** Names of regions. */
  readonly region?: readonly string[];
  /** In milliseconds, from the start of the process. */
  readonly timeout?: number;
  /** Whether the table shows what is fine, too. */
  readonly all: boolean;
  readonly output: (typeof outputs)[number];
  /** Replace the thresholds of the configuration, also those of its overrides. */
  readonly warnBelow?: Threshold;
  readonly criticalBelow?: Threshold;
}

/** `check`: polls every target once, and prints how much of each quota remains. */
export function checkCommand(exitWith: ExitWith): Command {
  return addConfigOption(new Command('check'))
    .addOption(namesOption('--account <name>', 'poll only this account; may be repeated'))
    .addOption(namesOption('--region <name>', 'poll only this region; may be repeated'))
    .addOption(
      new Option(
        '--timeout <duration>',
        'end after this time; what has no answer by then counts as unknown',
      ).argParser(readTimeout),
    )
    .addOption(
      new Option(
        '--output <form>',
        'the format of the result; scenario is a file for emulate, with the quotas and templates that were read',
      )
        .choices(outputs)
        .default('table'),
    )
    .option('--all', 'show in the table what is fine, too', false)
    .addOption(thresholdOption('warn', 'warning'))
    .addOption(thresholdOption('critical', 'critical'))
    .addOption(logLevelOption('warn'))
    .addOption(logFormatOption())
    .addHelpText('after', helpEnd)
    .action(async (flags: CheckFlags) => {
      exitWith(await check(flags, processSurroundings()));
    });
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
  ).argParser((text) => validArgument(parseThreshold(text), expected));
}

const maxTimeoutMs = 86_400_000;

function readTimeout(text: string): number {
  const timeoutMs = parseDurationMs(text);
  if (timeoutMs === null || timeoutMs === 0 || timeoutMs > maxTimeoutMs) {
    throw new InvalidArgumentError('Expected a duration of at most a day, such as 30s.');
  }
  return timeoutMs;
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

/** What a check polls, and what ends it. */
interface Check {
  readonly flags: CheckFlags;
  readonly config: Config;
  readonly surroundings: Surroundings;
  readonly collectors: CollectorSet;
  /** Ends the polls. Targets without an answer then have no record. */
  readonly signal: AbortSignal;
  /** Ends the polls, too. Targets without an answer then have failed. */
  readonly timeLimit: AbortSignal;
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
  const { exitCode, signal } = abortOnSignals();
  const records = await pollAll({ flags, config, surroundings, collectors, signal, timeLimit });
  if (signal.aborted) return exitCode();
  const nowMs = surroundings.clock.now();
  const report = checkReport(records, {
    thresholds: thresholdsAt(config.thresholds, nowMs),
    collectors,
    planned: planTargets(config, collectors).filter((each) => isWanted(each, flags)),
  });
  print(await resultText(report, flags, { config, nowMs }));
  return checkExitCodes[report.verdict.level];
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

async function pollAll(context: Check): Promise<TargetRecord[]> {
  const { collectors, config, flags, signal, surroundings, timeLimit } = context;
  refuseUnmatched(context, planTargets(config, collectors));
  const { clock } = surroundings;
  const plan = (name: string, records: PolledRecords) =>
    config.accounts
      .filter((account) => account.name === name)
      .flatMap((account) => planAccount(account, collectors, (key) => records.get(key)).targets);
  const progress = new Progress(process.stderr, paintFor(process.stderr));
  const logger = createLogger({
    level: flags['log.level'],
    format: flags['log.format'],
    write: (line) => {
      progress.writeAbove(line);
    },
  });
  const clients = new Clients(config, {
    ...surroundings,
    collectors,
    observer: silentObserver,
    userAgent: userAgentOf(readBuildInfo(surroundings.env)),
  });
  try {
    const records = await pollOnce({
      accounts: config.accounts.map(({ name }) => name),
      targetsOf: (account, known) => {
        const targets = plan(account, known).filter(
          (each) => isWanted(each, flags) || findsRegionsFor(each, flags, collectors),
        );
        progress.planned(account, targets.length);
        return targets;
      },
      collectors,
      poll: (target, pollContext) => clients.poll(target, pollContext),
      clock,
      signal,
      timeLimit,
      log: new PollLog(flags.output === 'table' ? withoutWarnings(logger) : logger, clock),
      onPolled: (record) => {
        progress.polled(record);
      },
    });
    const all = config.accounts.flatMap(({ name }) => plan(name, records));
    const polled = all.flatMap((target) => records.get(targetKey(target)) ?? []);
    const isFound = ({ seen, target }: TargetRecord) =>
      seen.freshness.failure === null || collectors.of(target).regionDiscovery === null;
    if (!signal.aborted && polled.every(isFound)) refuseUnmatched(context, all, true);
    return polled;
  } finally {
    progress.clear();
    clients.close();
  }
}

/** Whether the flags select a target, also before discovery has named its region. */
function isWanted({ account, region }: Target, flags: CheckFlags): boolean {
  const isOfRegion = region === anyRegionName || (flags.region?.includes(region) ?? true);
  return isOfRegion && (flags.account?.includes(account) ?? true);
}

/** Whether a target is polled because it finds the regions of an account that the flags select. */
function findsRegionsFor(target: Target, flags: CheckFlags, collectors: CollectorSet): boolean {
  const { regionDiscovery } = collectors.of(target);
  return regionDiscovery !== null && (flags.account?.includes(target.account) ?? true);
}

/**
 * Refuses a name that selects no target: otherwise a check of no quota would pass. The names of regions are judged
 * when all of them are known.
 *
 * @param targets all of them, whatever the flags select
 * @param areFound whether discovery has found all regions
 * @throws UsageError which names similar names
 */
function refuseUnmatched(
  { collectors, config, flags }: Check,
  targets: readonly Target[],
  areFound = false,
): void {
  const { account = [], region = [] } = flags;
  const accounts = config.accounts.map(({ name }) => name);
  refuseUnknown('--account', account, accounts);
  const own = targets.filter((target) => flags.account?.includes(target.account) ?? true);
  const inRegions = own.filter((target) => collectors.of(target).regionDiscovery === null);
  if (!areFound && inRegions.length < own.length) return;
  refuseUnknown('--region', region, [...new Set(inRegions.map((target) => target.region))]);
}

/** Maximum number of names in a message. */
const maxNames = 10;

function refuseUnknown(flag: string, names: readonly string[], known: readonly string[]): void {
  const name = names.find((each) => !known.includes(each));
  if (name === undefined) return;
  const similar = nearest(name, known);
  const others = known.slice(0, maxNames).join(', ') + (known.length > maxNames ? ', …' : '');
  const hint = similar === null ? `others are ${others}` : `did you mean ${similar}?`;
  throw new UsageError(`${flag}=${name} selects no target${known.length === 0 ? '' : `; ${hint}`}`);
}

/** The log of polls for a table: the table itself shows the warnings. */
function withoutWarnings(logger: Logger): Logger {
  return {
    ...logger,
    warn: (message, fields) => {
      logger.debug(message, () => fields ?? {});
    },
  };
}

interface Context {
  readonly config: Config;
  readonly nowMs: number;
}

async function resultText(
  report: CheckReport,
  { all, output }: CheckFlags,
  context: Context,
): Promise<string> {
  switch (output) {
    case 'table':
      return checkTable(report, surfaceOf(process.stdout), all);
    case 'json':
      return `${JSON.stringify(checkJson(report, context.nowMs), null, 2)}\n`;
    case 'prometheus':
      return exposition(report, context);
    case 'nagios':
      return nagiosOutput(report);
    case 'scenario':
      return scenarioText(report.targets.map(({ record }) => record));
  }
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
  { collectors, targets: watched }: CheckReport,
  { config: { accounts, thresholds }, nowMs }: Context,
): Promise<string> {
  const exposed = { watched, accounts, thresholds: thresholdsAt(thresholds, nowMs) };
  const texts = await new RecordTexts(collectors).of(exposed);
  return String(Buffer.concat(await encodeTexts(texts, 'prometheus')));
}

/** Stops the polls at the first signal, and the process at the second. The exit code is 128 plus the signal. */
function abortOnSignals(): { signal: AbortSignal; exitCode: () => number } {
  const stopping = new AbortController();
  let received: HandledSignal = 'SIGINT';
  onSignals((signal) => {
    if (stopping.signal.aborted) forceExit(exitCodeOf(signal));
    received = signal;
    stopping.abort();
  });
  return { signal: stopping.signal, exitCode: () => exitCodeOf(received) };
}

/** Aborts when the whole command, with the start of its process, has taken too long. */
function timeLimitOf({ timeout }: CheckFlags): AbortSignal {
  const limit = new AbortController();
  if (timeout !== undefined) {
    const abort = () => {
      limit.abort(
        new CodedError('Timeout', 'the time limit of the command ended before the answer'),
      );
    };
    setTimeout(abort, timeout - performance.now()).unref();
  }
  return limit.signal;
}
