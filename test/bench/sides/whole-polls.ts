/**
 * Whole polls, from signing to the rendered record, ten at a time, each of another target. Argument: the
 * configuration, a directory for records or `null` for memory, and a number of cycles. Answers a message with the
 * cost of one poll, over so many cycles of all targets.
 */
import { createApiObserver } from '../../../src/daemon/api-observer.ts';
import { Clients } from '../../../src/daemon/clients.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { planTargets } from '../../../src/config/targets.ts';
import { recordFamilies } from '../../../src/expose/metrics/families.ts';
import { Exposition } from '../../../src/expose/metrics/exposition.ts';
import { MonitorMetrics } from '../../../src/expose/metrics/monitor-metrics.ts';
import { RecordTexts } from '../../../src/expose/metrics/record-texts.ts';
import { BoundedCalls } from '../../../src/files/bounded-calls.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { silentLogger } from '../../support/silent-logger.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import { targetKey } from '../../../src/model/target.ts';
import { PollLog } from '../../../src/poll/poll-log.ts';
import { Poller } from '../../../src/poll/poller.ts';
import { openFileStore } from '../../../src/state/file-store.ts';
import { RecordKeeper } from '../../../src/state/record-keeper.ts';
import { variablesOf } from './credential-variables.ts';
import { announceReady, argument, atATime, replyWithCost } from './side.ts';

const { configText, storage, cycles } = argument() as {
  configText: string;
  storage: string | null;
  cycles: number;
};
const config = parseConfig(configText, 'config', collectors);
const clock = { now: Date.now };
const status = {
  cycles: new Map(),
  nextCycleMs: null,
  storage: { failures: 0, damaged: 0, unwritten: 0 },
  leftOut: new Map(),
  lastReloadSuccessful: true,
  lastReloadSuccessMs: clock.now(),
};
const fileCalls = new BoundedCalls();
const metrics = new MonitorMetrics({ version: '0', revision: '' }, () => status);
const accounts = new Clients(config, {
  collectors,
  clock,
  random: Math.random,
  env: variablesOf(config.accounts.length),
  fileCalls,
  observer: createApiObserver(metrics, silentLogger),
  userAgent: 'bench',
});
const published = new PublishedRecords();
const settings = { ...config, staleAfterMs: config.poll.staleAfterMs };
const exposition = new Exposition({
  texts: new RecordTexts(recordFamilies(collectors)),
  published,
  settings: () => settings,
  registry: metrics.registry,
  clock,
  minRenderMs: 0,
});
const onLockLost = () => process.exit(1);
const store =
  storage === null
    ? createMemoryStore()
    : await openFileStore({
        collectors,
        directory: storage,
        calls: fileCalls,
        logger: silentLogger,
        signal: new AbortController().signal,
        onLockLost,
      });
const keeper = new RecordKeeper({ store, collectors, published, clock, logger: silentLogger });
const targets = planTargets(config, collectors);
published.watch(targets, (target) => collectors.of(target));

/** The polls that wait until fewer than `atATime` run. */
const waiting: (() => void)[] = [];
let running = 0;

async function inTurn<T>(poll: () => Promise<T>): Promise<T> {
  if (running >= atATime) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    return await poll();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

const accountNames = config.accounts.map(({ name }) => name);
const byKey = new Map(targets.map((target) => [targetKey(target), target]));
const byAccount = new Map(
  accountNames.map((name) => [name, targets.filter(({ account }) => account === name)]),
);
const schedule = { start: () => undefined, stop: () => undefined, nextRunMs: () => null };
const poller = new Poller({
  collectors,
  plan: () => ({
    accounts: accountNames,
    targetsOf: (account) => byAccount.get(account) ?? [],
    get: (key) => byKey.get(key),
  }),
  settings: () => ({ schedule, jitterMs: 0, minDeadlineMs: config.api.timeoutMs }),
  trendStepMs: () => 900_000,
  poll: (target, context) => inTurn(() => accounts.poll(target, context)),
  keep: (target, step) => keeper.keep(target, step),
  published,
  log: new PollLog(silentLogger, clock),
  onPolled: () => undefined,
  logger: silentLogger,
  clock,
  random: Math.random,
});

replyWithCost(cycles * targets.length, async () => {
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const how = { missed: 0, onlyNew: false };
    await Promise.all(accountNames.map((each) => poller.runCycle(each, null, how)));
    await exposition.body('prometheus', 'gzip');
  }
});
announceReady();
