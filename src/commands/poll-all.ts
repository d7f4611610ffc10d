/** Polls the targets of a configuration once, for `check` and `init`, and shows the progress at a terminal. */
import { setMaxListeners } from 'node:events';
import type { WriteStream } from 'node:tty';
import { collectors } from '../collectors/collectors.ts';
import type { Config } from '../config/config.ts';
import { planAccount, type PlannedAccount } from '../collectors/plan.ts';
import { priceCollector } from '../collectors/price.ts';
import { readBuildInfo, userAgentOf } from '../daemon/runtime.ts';
import { createClients } from '../daemon/clients.ts';
import { checkReport } from '../expose/check-report.ts';
import { paintFor, progressLine } from '../expose/terminal/style.ts';
import { createLogger, type LogOptions } from '../log.ts';
import { newRecord, type TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { english, type Texts } from '../model/texts/texts.ts';
import type { Thresholds } from '../model/thresholds.ts';
import { usualStepMs } from '../model/trend.ts';
import { visitInWaves } from '../poll/cycle.ts';
import { PollLog } from '../poll/poll-log.ts';
import { createPollTarget, type UpdateRecord } from '../poll/poll-target.ts';
import { interruptedBy, processRuntime } from './command.ts';
import { exitCodeOf, forceExit, onSignals } from './signals.ts';

export interface PollAllOptions {
  /** Its thresholds are without the overrides that have ended: they tell which launches are blocked. */
  readonly config: Config;
  /** True for a target that is polled. Default: all. */
  readonly isWanted?: (target: Target) => boolean;
  /** True: the price of every version is asked for. Default: only if its launch is blocked by what else was read. */
  readonly allPrices?: boolean;
  /** Ends the polls with a CodedError. Targets without an answer then have failed. Default: no limit. */
  readonly timeLimit?: AbortSignal;
  /** Level and format of the log of the polls. */
  readonly log: LogOptions;
  /** Of the progress. Default: English. */
  readonly texts?: Texts;
}

export type PolledTargets = Awaited<ReturnType<typeof pollAll>>;

/**
 * Polls every wanted target once, and then those that the answers found, in the order of a cycle of the daemon. It has no
 * earlier records, and stores nothing. A failed poll is a record with a failure; only the number of attempts bounds the
 * retries. At a terminal, this shows the progress below the log.
 *
 * @returns in the order of the configuration: all `targets`, also those that are not wanted, and those that answers
 * found; and the `records` of the wanted targets that were polled
 * @throws CommanderError after a signal
 */
export async function pollAll(options: PollAllOptions) {
  const { allPrices = false, config, isWanted = () => true, texts = english, timeLimit } = options;
  const runtime = processRuntime();
  const { clock, env } = runtime;
  /** The records of the polls that have ended, by the keys of their targets. */
  const records = new Map<string, TargetRecord>();
  const plannedTargets = (account: PlannedAccount) =>
    planAccount(account, collectors, (key) => records.get(key)).targets;

  /** Numbers of wanted targets: polled, failed, and all. The last one grows while answers find targets. */
  const progress = { done: 0, failed: 0, targets: 0 };
  const paint = paintFor(process.stderr);
  const bar = progressBarOn(process.stderr, () => progressLine(progress, paint, texts));
  /** Keeps the record of a target in `records`. A target is polled once, so its record before is a new one. */
  const update: UpdateRecord = (target, updater) => {
    const before = newRecord(target, collectors.of(target));
    const updated = updater(before);
    if (updated === null) return Promise.resolve(null);
    records.set(targetKey(target), updated.record);
    if (updated.record.observed.freshness.failure !== null) progress.failed += 1;
    return Promise.resolve({ before, ...updated });
  };

  const userAgent = userAgentOf(readBuildInfo(env));
  const clients = createClients({ ...runtime, config, collectors, observer: {}, userAgent });
  const stopping = new AbortController();
  onSignals((received) => {
    // The first signal ends the polls, the second one the process.
    if (stopping.signal.aborted) forceExit(exitCodeOf(received));
    stopping.abort(interruptedBy(received));
  });
  const signals = timeLimit === undefined ? [stopping.signal] : [stopping.signal, timeLimit];
  const signal = AbortSignal.any(signals);
  // All polls listen to the same signal, so Node.js must not warn about many listeners.
  setMaxListeners(0, signal);
  const log = new PollLog(createLogger({ ...options.log, write: bar.show }));
  const pollTarget = createPollTarget({
    collectors,
    ask: (target, context) => clients.poll(target, context),
    update,
    clock,
    log,
    trendStepMs: () => usualStepMs,
  });

  const isBlocked = blockedLaunchTest(records, config.thresholds);
  const visit = async (target: Target) => {
    if (stopping.signal.aborted) return;
    const isPrice = target.operation === priceCollector.operation;
    const isAsked = !isPrice || allPrices || isBlocked(target);
    if (isAsked) await pollTarget(target, { signal, deadlineMs: Infinity });
    // A price that is not asked for is done, too.
    progress.done += 1;
    bar.show();
  };
  const pollAccount = (account: PlannedAccount) => {
    /** How many wanted targets of the account are in `progress.targets`. */
    let counted = 0;
    const targets = () => {
      const wanted = plannedTargets(account).filter(isWanted);
      progress.targets += wanted.length - counted;
      counted = wanted.length;
      bar.show();
      return wanted;
    };
    return visitInWaves({ collectors, targets, visit });
  };
  try {
    await Promise.all(config.accounts.map(pollAccount));
    stopping.signal.throwIfAborted();
    const targets = config.accounts.flatMap(plannedTargets);
    return { targets, records: targets.flatMap((target) => records.get(targetKey(target)) ?? []) };
  } finally {
    log.close();
    bar.clear();
    clients.close();
  }
}

/**
 * Creates a function that tells whether the launch of the template of a price is blocked by what was read before. The launches
 * of a region are judged once, for its first price: all kinds that its prices wait for have then been polled.
 *
 * @param records the records of the polls that have ended. The map grows meanwhile
 */
function blockedLaunchTest(records: ReadonlyMap<string, TargetRecord>, thresholds: Thresholds) {
  /** The IDs of the templates, by account and region. */
  const blocked = new Map<string, ReadonlySet<string>>();
  const blockedIn = ({ account, region }: Target) => {
    const ofRegion = [...records.values()].filter(
      ({ target }) => target.account === account && target.region === region,
    );
    const { launches } = checkReport(ofRegion, { collectors, planned: [], thresholds });
    const critical = launches.filter(({ state }) => state === 'critical');
    return new Set(critical.map(({ templateId }) => templateId));
  };
  return (price: Target) => {
    const key = `${price.account} ${price.region}`;
    const templates = blocked.get(key) ?? blockedIn(price);
    blocked.set(key, templates);
    return templates.has(price.resource?.['template_id'] ?? '');
  };
}

/** True for a target whose answers find the regions of an account. Its own region only says where the question is asked. */
export function findsRegions(target: Target): boolean {
  return collectors.of(target).regionDiscovery !== null;
}

/** Moves to the beginning of the line and erases it. */
const eraseLine = '\r\u001b[2K';

/**
 * Creates a line that stays below all others, if the stream is a terminal. On another stream, only the others are written.
 *
 * @param render the line as it is now
 */
function progressBarOn(stream: WriteStream, render: () => string) {
  const isShown = stream.isTTY && process.env['TERM'] !== 'dumb';
  return {
    /** Writes a line, if there is one, and then the bar. */
    show: (line = '') => {
      stream.write(isShown ? eraseLine + line + render() : line);
    },
    clear: () => {
      if (isShown) stream.write(eraseLine);
    },
  };
}
