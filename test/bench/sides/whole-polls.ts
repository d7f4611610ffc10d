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
import { createMemoryStore } from '../../helpers/memory-store.ts';
import { silentLogger } from '../../helpers/silent-logger.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import { newRecord } from '../../helpers/advance.ts';
import { newCycleStats } from '../../../src/poll/cycle-stats.ts';
import { PollLog } from '../../../src/poll/poll-log.ts';
import { Poller } from '../../../src/poll/poller.ts';
import { ConcurrencyLimit } from '../../../src/state/concurrency.ts';
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
  cyclesCompleted: 0,
  cyclesSkipped: {},
  lastCycleDurationMs: null,
  nextCycleMs: null,
  stateWriteFailures: 0,
  stateDamagedFiles: 0,
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
    : await openFileStore({ collectors, directory: storage, clock, calls: fileCalls, onLockLost });
const keeper = new RecordKeeper({
  store,
  collectors,
  published,
  logger: silentLogger,
  onLate: () => undefined,
});
const targets = planTargets(config, collectors);
published.replaceAll(targets.map(newRecord));

const concurrency = new ConcurrencyLimit(atATime);
const poller = new Poller({
  collectors,
  targets,
  found: new Map(),
  schedule: { start: () => undefined, stop: () => undefined, nextRunMs: () => null },
  jitterMs: 0,
  minDeadlineMs: config.api.timeoutMs,
  trendStepMs: 900_000,
  poll: (target, context) => concurrency.run(() => accounts.poll(target, context)),
  keep: (target, step) => keeper.keep(target, step),
  published,
  stats: newCycleStats(),
  log: new PollLog(silentLogger, clock),
  onPolled: () => Promise.resolve(),
  leavesOut: () => false,
  clock,
  random: Math.random,
});

replyWithCost(cycles * targets.length, async () => {
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    await poller.runCycle();
    await exposition.body('prometheus', 'gzip');
  }
});
announceReady();
