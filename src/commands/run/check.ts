import type { WriteStream } from 'node:tty';
import { Clients } from '../../daemon/clients.ts';
import { silentObserver } from '../../api/observer.ts';
import { readBuildInfo, userAgentOf } from '../../daemon/build-info.ts';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { collectors as ownCollectors } from '../../collectors/collectors.ts';
import type { Config } from '../../config/config.ts';
import { discoveredBy, isUnsupported, planTargets } from '../../config/targets.ts';
import { checkJson } from '../../expose/check-json.ts';
import { checkReport, type CheckReport } from '../../expose/check-report.ts';
import { SampleBlocks } from '../../expose/metrics/sample-blocks.ts';
import { recordFamilies } from '../../expose/metrics/families.ts';
import { createVariant } from '../../expose/metrics/variant.ts';
import { checkTable, type Surface } from '../../expose/terminal/check-table.ts';
import { createLogger } from '../../logging/create-logger.ts';
import type { Logger } from '../../logging/logger.ts';
import { PublishedRecords } from '../../model/published-records.ts';
import type { TargetRecord } from '../../model/record.ts';
import { targetKey } from '../../model/target.ts';
import {
  isCriticalAboveWarning,
  thresholdsAt,
  thresholdText,
  type Threshold,
  type Thresholds,
} from '../../model/thresholds.ts';
import { PollLog } from '../../poll/poll-log.ts';
import { pollOnce } from '../../poll/poll-once.ts';
import { checkExitCodes } from './exit-codes.ts';
import { FlagError } from './flag-error.ts';
import type { ConfigFlags, LogFlags } from './flags.ts';
import { exitCodeOf, onSignals, type HeededSignal } from './signals.ts';
import { print } from './print.ts';
import { Progress } from './progress.ts';
import { readConfig } from './read-config.ts';
import { paintFor } from './paint-for.ts';

export interface CheckFlags extends ConfigFlags, LogFlags {
  readonly output: 'table' | 'json' | 'prometheus';
  /** Replace the thresholds of the configuration, also those of its overrides. */
  readonly warnBelow?: Threshold;
  readonly criticalBelow?: Threshold;
}

const clock = { now: Date.now };

/** Width of the table when the output is not a terminal. */
const pipedWidth = 100;

/**
 * @throws InvalidFileError for an invalid configuration
 * @throws FlagError for a critical threshold above the warning
 */
export async function check(flags: CheckFlags, collectors = ownCollectors): Promise<number> {
  const loaded = await readConfig(flags['config.file'], { collectors });
  const config = { ...loaded, thresholds: replaced(loaded.thresholds, flags) };
  const { exitCode, signal } = abortOnSignals();
  const records = await pollAll(config, flags, collectors, signal);
  if (signal.aborted) return exitCode();
  const report = checkReport(records, thresholdsAt(config.thresholds, clock.now()), collectors);
  print(await resultText(report, flags.output, config));
  return checkExitCodes[report.status];
}

/** The thresholds with those of the flags. With a flag, no override applies. */
function replaced(thresholds: Thresholds, { warnBelow, criticalBelow }: CheckFlags): Thresholds {
  if (warnBelow === undefined && criticalBelow === undefined) return thresholds;
  const warning = warnBelow ?? thresholds.warning;
  const critical = criticalBelow ?? thresholds.critical;
  if (isCriticalAboveWarning({ warning, critical })) {
    throw new FlagError(
      `the critical threshold ${thresholdText(critical)} is above the warning threshold ${thresholdText(warning)}: set --warn-below and --critical-below`,
    );
  }
  return { warning, critical, overrides: [] };
}

async function pollAll(
  config: Config,
  flags: CheckFlags,
  collectors: CollectorSet,
  signal: AbortSignal,
): Promise<TargetRecord[]> {
  const progress = new Progress(process.stderr, paintFor(process.stderr));
  const logger = createLogger({
    level: flags['log.level'],
    format: flags['log.format'],
    write: (line) => {
      progress.writeAbove(line);
    },
  });
  const accounts = new Clients(config, {
    collectors,
    clock,
    random: Math.random,
    env: process.env,
    observer: silentObserver,
    userAgent: userAgentOf(readBuildInfo(process.env)),
  });
  try {
    const leftOut = new Set<string>();
    const plan = (records: Pick<PublishedRecords, 'get'>) =>
      planTargets(config, collectors, discoveredBy(records, collectors, leftOut));
    return await pollOnce(plan, {
      leavesOut: (target, code) => {
        if (!isUnsupported(config, collectors, { target, code })) return false;
        leftOut.add(targetKey(target));
        return true;
      },
      collectors,
      poll: (target, context) => accounts.poll(target, context),
      clock,
      signal,
      log: new PollLog(flags.output === 'table' ? withoutWarnings(logger) : logger, clock),
      onPlanned: (targets) => {
        progress.planned(targets);
      },
      onPolled: (record) => {
        progress.polled(record);
      },
    });
  } finally {
    progress.clear();
    accounts.close();
  }
}

/** The log of polls for a table: the table itself shows the warnings. */
function withoutWarnings(logger: Logger): Logger {
  return { ...logger, warn: logger.debug };
}

async function resultText(
  report: CheckReport,
  output: CheckFlags['output'],
  config: Config,
): Promise<string> {
  switch (output) {
    case 'table':
      return checkTable(report, surfaceOf(process.stdout));
    case 'json':
      return `${JSON.stringify(checkJson(report, clock.now()), null, 2)}\n`;
    case 'prometheus':
      return exposition(report, config);
  }
}

function surfaceOf(stream: WriteStream): Surface {
  const paint = paintFor(stream);
  // A terminal without a size reports 0.
  return stream.isTTY && stream.columns > 0
    ? { paint, width: stream.columns, height: stream.rows }
    : { paint, width: pipedWidth, height: Infinity };
}

/** The metrics of the records. The metrics of this short process are not useful. */
async function exposition(
  { collectors, records }: CheckReport,
  { thresholds, accounts }: Config,
): Promise<string> {
  const settings = { staleAfterMs: Infinity, thresholds, accounts };
  const published = new PublishedRecords();
  for (const record of records) published.publish(record);
  const samples = await new SampleBlocks(
    recordFamilies(collectors),
    published,
    () => settings,
    clock,
  ).update();
  const { bytes } = await createVariant('prometheus', 'identity')(samples, '');
  return bytes.toString();
}

/** Stops the polls at the first signal, and the process at the second. The exit code is 128 plus the signal. */
function abortOnSignals(): { signal: AbortSignal; exitCode: () => number } {
  const stopping = new AbortController();
  let received: HeededSignal = 'SIGINT';
  onSignals((signal) => {
    if (stopping.signal.aborted) process.exit(exitCodeOf(signal));
    received = signal;
    stopping.abort();
  });
  return { signal: stopping.signal, exitCode: () => exitCodeOf(received) };
}
