import type { WriteStream } from 'node:tty';
import { Clients } from '../../daemon/clients.ts';
import type { Surroundings } from '../../daemon/surroundings.ts';
import { silentObserver } from '../../api/observer.ts';
import { readBuildInfo, userAgentOf } from '../../daemon/build-info.ts';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { collectors as ownCollectors } from '../../collectors/collectors.ts';
import type { Config } from '../../config/config.ts';
import { planAccount, planTargets } from '../../config/targets.ts';
import { checkJson } from '../../expose/check-json.ts';
import { checkReport, type CheckReport } from '../../expose/check-report.ts';
import { RecordTexts, encodeFamilies } from '../../expose/metrics/record-texts.ts';
import { recordFamilies } from '../../expose/metrics/families.ts';
import { nagiosOutput, statusLine } from '../../expose/nagios.ts';
import { checkTable } from '../../expose/terminal/check-table.ts';
import type { Surface } from '../../expose/terminal/table.ts';
import { createLogger, type Logger } from '../../log.ts';
import { CodedError } from '../../model/coded-error.ts';
import { PublishedRecords } from '../../model/published-records.ts';
import type { TargetRecord } from '../../model/record.ts';
import { targetKey, type Target } from '../../model/target.ts';
import {
  isCriticalAboveWarning,
  thresholdsAt,
  thresholdText,
  type Threshold,
  type Thresholds,
} from '../../model/thresholds.ts';
import { PollLog } from '../../poll/poll-log.ts';
import { pollOnce, type PolledRecords, type PollOnceOptions } from '../../poll/poll-once.ts';
import { InvalidFileError } from '../../validation/problem.ts';
import { checkExitCodes } from './exit-codes.ts';
import type { ConfigFlags, LogFlags } from './flags.ts';
import { exitCodeOf, onSignals, type HandledSignal } from './signals.ts';
import { explain } from './explained-error.ts';
import { print } from './print.ts';
import { Progress } from './progress.ts';
import { configName, readConfig } from './read-config.ts';
import { forceExitSoon } from './forced-exit.ts';
import { findsRegions, isSelected, refuseUnmatched, type TargetFilter } from './target-filter.ts';
import { paintFor } from '../../expose/terminal/style.ts';
import { UsageError } from './usage-error.ts';

export interface CheckFlags extends ConfigFlags, LogFlags {
  /** Names of accounts. */
  readonly account?: readonly string[];
  /** Names of regions. */
  readonly region?: readonly string[];
  /** In milliseconds, from the start of the process. */
  readonly timeout?: number;
  /** Whether the table shows what is fine, too. */
  readonly all: boolean;
  readonly output: 'table' | 'json' | 'prometheus' | 'nagios';
  /** Replace the thresholds of the configuration, also those of its overrides. */
  readonly warnBelow?: Threshold;
  readonly criticalBelow?: Threshold;
}

type Settings = Pick<Config, 'thresholds' | 'accounts'> & Pick<Surroundings, 'clock'>;

/** Width of the table when the output is not a terminal. */
const pipedWidth = 100;

/** Checks, and ends the process also if a storage with the configuration or a secret hangs. */
export async function checkThenEnd(flags: CheckFlags, surroundings: Surroundings): Promise<number> {
  const code = await check(flags, surroundings);
  forceExitSoon(() => code);
  return code;
}

/**
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
  const loaded = await readInTime(flags['config.file'], collectors, timeLimit);
  const config = { ...loaded, thresholds: replaced(loaded.thresholds, flags) };
  const filter = { accounts: flags.account ?? [], regions: flags.region ?? [] };
  const { exitCode, signal } = abortOnSignals();
  const poll = { flags, filter, surroundings, collectors, signal, timeLimit };
  const records = await pollAll(config, poll);
  if (signal.aborted) return exitCode();
  const { clock } = surroundings;
  const report = checkReport(records, {
    thresholds: thresholdsAt(config.thresholds, clock.now()),
    collectors,
    planned: planTargets(config, collectors).filter((target) => isPlanned(target, filter)),
  });
  print(await resultText(report, flags, { ...config, clock }));
  return checkExitCodes[report.status];
}

/** Whether the flags ask for a target, before discovery has named its region. */
function isPlanned({ account, region }: Target, { accounts, regions }: TargetFilter): boolean {
  const isOfRegion = regions.length === 0 || regions.includes(region);
  return isOfRegion && (accounts.length === 0 || accounts.includes(account));
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

/** @throws InvalidFileError for an invalid configuration, also for one that cannot be read in time */
async function readInTime(
  file: string,
  collectors: CollectorSet,
  timeLimit: AbortSignal,
): Promise<Config> {
  try {
    return await readConfig(file, { collectors, signal: timeLimit });
  } catch (error) {
    if (error !== timeLimit.reason) throw error;
    const message = 'the configuration cannot be read within --timeout';
    throw new InvalidFileError(configName(file), message);
  }
}

interface Poll extends Pick<PollOnceOptions, 'signal' | 'timeLimit'> {
  readonly flags: CheckFlags;
  readonly filter: TargetFilter;
  readonly surroundings: Surroundings;
  readonly collectors: CollectorSet;
}

async function pollAll(
  config: Config,
  { flags, filter, surroundings, collectors, signal, timeLimit }: Poll,
): Promise<TargetRecord[]> {
  const { clock } = surroundings;
  const plan = (name: string, records: PolledRecords) => {
    const account = config.accounts.find((each) => each.name === name);
    if (account === undefined) return [];
    return planAccount(account, collectors, (key) => records.get(key)).targets;
  };
  refuseUnmatched(filter, planTargets(config, collectors), { config, collectors });
  const progress = new Progress(process.stderr, paintFor(process.stderr));
  const logger = createLogger({
    level: flags['log.level'],
    format: flags['log.format'],
    write: (line) => {
      progress.writeAbove(line);
    },
  });
  const accounts = new Clients(config, {
    ...surroundings,
    collectors,
    observer: silentObserver,
    userAgent: userAgentOf(readBuildInfo(surroundings.env)),
  });
  try {
    const records = await pollOnce({
      accounts: config.accounts.map(({ name }) => name),
      targetsOf: (account, known) => {
        const targets = plan(account, known).filter((each) => isSelected(each, filter, collectors));
        progress.planned(account, targets.length);
        return targets;
      },
      collectors,
      poll: (target, context) => accounts.poll(target, context),
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
    const areRegionsKnown = polled.every(
      ({ seen, target }) => seen.freshness.failure === null || !findsRegions(target, collectors),
    );
    if (areRegionsKnown && !signal.aborted) {
      refuseUnmatched(filter, all, { config, collectors, areRegionsKnown });
    }
    return polled;
  } finally {
    progress.clear();
    accounts.close();
  }
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

async function resultText(
  report: CheckReport,
  { all, output }: CheckFlags,
  settings: Settings,
): Promise<string> {
  switch (output) {
    case 'table':
      return checkTable(report, surfaceOf(process.stdout), all);
    case 'json':
      return `${JSON.stringify(checkJson(report, settings.clock.now()), null, 2)}\n`;
    case 'prometheus':
      return exposition(report, settings);
    case 'nagios':
      return nagiosOutput(report);
  }
}

function surfaceOf(stream: WriteStream): Surface {
  const paint = paintFor(stream);
  // A terminal without a size reports 0.
  return stream.isTTY && stream.columns > 0
    ? { paint, width: stream.columns }
    : { paint, width: pipedWidth };
}

/** The metrics of the records. The metrics of this short process are not useful. */
async function exposition(
  { collectors, targets }: CheckReport,
  { thresholds, accounts, clock }: Settings,
): Promise<string> {
  const records = targets.map(({ record }) => record);
  const settings = { staleAfterMs: Infinity, thresholds, accounts };
  const published = new PublishedRecords();
  published.add(records);
  published.watch(
    records.map(({ target }) => target),
    (target) => collectors.of(target),
  );
  const texts = new RecordTexts(recordFamilies(collectors));
  const families = await texts.at(published, settings, clock.now());
  return String(Buffer.concat(await encodeFamilies(families, 'prometheus')));
}

/** Stops the polls at the first signal, and the process at the second. The exit code is 128 plus the signal. */
function abortOnSignals(): { signal: AbortSignal; exitCode: () => number } {
  const stopping = new AbortController();
  let received: HandledSignal = 'SIGINT';
  onSignals((signal) => {
    if (stopping.signal.aborted) process.exit(exitCodeOf(signal));
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
      const message = 'the time limit of the command ended before the answer';
      limit.abort(new CodedError('Timeout', message));
    };
    setTimeout(abort, timeout - performance.now()).unref();
  }
  return limit.signal;
}
