/** Polls every target of a configuration once, for `check` and `init`, and shows the progress at a terminal. */
import type { WriteStream } from 'node:tty';
import { collectors } from '../collectors/collectors.ts';
import type { Config } from '../config/config.ts';
import { planAccount } from '../collectors/plan.ts';
import { priceCollector } from '../collectors/price.ts';
import { readBuildInfo, userAgentOf } from '../daemon/runtime.ts';
import { createClients } from '../daemon/clients.ts';
import { checkReport } from '../expose/check-report.ts';
import { paintFor, progressLine } from '../expose/terminal/style.ts';
import { createLogger, type LogOptions } from '../log.ts';
import { targetKey, type Target } from '../model/target.ts';
import { english, type Texts } from '../model/texts/texts.ts';
import { PollLog } from '../poll/poll-log.ts';
import { pollOnce, type PolledRecords } from '../poll/poll-once.ts';
import { interruptedBy, processRuntime } from './command.ts';
import { exitCodeOf, forceExit, onSignals } from './signals.ts';

export interface PollAllOptions {
  /** Without the overrides that have ended. */
  readonly config: Config;
  /** True for a target that is polled. Default: all. */
  readonly isWanted?: (target: Target) => boolean;
  /** True: the price of each version is asked for. Default: of those whose launch is blocked by what else was read. */
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
 * Polls every wanted target once, and then those that the answers found. A failed poll is a record with a failure. At a
 * terminal, this shows the progress below the log.
 *
 * @returns in the order of the configuration: all `targets`, also those that are not wanted, and those that answers
 * found; and the `records` of the wanted targets that were polled
 * @throws CommanderError after a signal
 */
export async function pollAll(options: PollAllOptions) {
  const { allPrices = false, config, isWanted = () => true, texts = english, timeLimit } = options;
  const runtime = processRuntime();
  const { clock, env } = runtime;
  const plannedTargets = (name: string, records: PolledRecords) =>
    config.accounts
      .filter((account) => account.name === name)
      .flatMap((account) => planAccount(account, collectors, (key) => records.get(key)).targets);
  /** By region, the templates whose launches are blocked by what is read before prices. */
  const blocked = new Map<string, ReadonlySet<string>>();
  const blockedTemplates = ({ account, region }: Target, records: PolledRecords) => {
    const ofRegion = [...records.values()].filter(
      ({ target }) => target.account === account && target.region === region,
    );
    const { thresholds } = config;
    const { launches } = checkReport(ofRegion, { collectors, planned: [], thresholds });
    const critical = launches.filter(({ state }) => state === 'critical');
    return new Set(critical.map(({ templateId }) => templateId));
  };
  const isBlocked = (target: Target, records: PolledRecords) => {
    const key = `${target.account} ${target.region}`;
    const templates = blocked.get(key) ?? blockedTemplates(target, records);
    blocked.set(key, templates);
    return templates.has(target.resource?.['template_id'] ?? '');
  };
  const progress = { done: 0, failed: 0 };
  /** The number of wanted targets, by account. It grows while answers find targets. */
  const wantedCounts = new Map<string, number>();
  const bar = progressBarOn(process.stderr, () => {
    const targets = [...wantedCounts.values()].reduce((sum, count) => sum + count, 0);
    return progressLine({ ...progress, targets }, paintFor(process.stderr), texts);
  });
  const userAgent = userAgentOf(readBuildInfo(env));
  const clients = createClients({ ...runtime, config, collectors, observer: {}, userAgent });
  const stopping = new AbortController();
  const { signal } = stopping;
  onSignals((received) => {
    // The first signal ends the polls, the second one the process.
    if (signal.aborted) forceExit(exitCodeOf(received));
    stopping.abort(interruptedBy(received));
  });
  const accounts = config.accounts.map(({ name }) => name);
  const log = new PollLog(createLogger({ ...options.log, write: bar.show }));
  try {
    const records = await pollOnce({
      accounts,
      targetsOf: (account, polledRecords) => {
        const wanted = plannedTargets(account, polledRecords).filter(isWanted);
        wantedCounts.set(account, wanted.length);
        bar.show();
        return wanted;
      },
      isAsked: (target, polledRecords) => {
        if (allPrices || target.operation !== priceCollector.operation) return true;
        const isAsked = isBlocked(target, polledRecords);
        if (!isAsked) progress.done += 1;
        return isAsked;
      },
      collectors,
      ask: (target, context) => clients.poll(target, context),
      clock,
      signal,
      timeLimit,
      log,
      onPolled: ({ observed }) => {
        progress.done += 1;
        if (observed.freshness.failure !== null) progress.failed += 1;
        bar.show();
      },
    });
    signal.throwIfAborted();
    const targets = accounts.flatMap((name) => plannedTargets(name, records));
    return { targets, records: targets.flatMap((target) => records.get(targetKey(target)) ?? []) };
  } finally {
    log.close();
    bar.clear();
    clients.close();
  }
}

/** True for a target whose answers find the regions of an account. Its own region only says where the question is asked. */
export function findsRegions(target: Target): boolean {
  return collectors.of(target).regionDiscovery !== null;
}

/** Moves to the beginning of the line and erases it. */
const eraseLine = '\r\u001b[2K';

/**
 * A line that stays below all others, if the stream is a terminal.
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
