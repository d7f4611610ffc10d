/** The daemon in this process, with the emulator. The test controls time and cycles. */
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { z } from 'zod';
import type { CollectorSet } from '../../src/collectors/collector-set.ts';
import { collectors as ownCollectors } from '../../src/collectors/collectors.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { configSchema } from '../../src/config/schema.ts';
import { startDaemon } from '../../src/daemon/daemon.ts';
import {
  type RunningEmulator,
  type ScenarioInput,
  createManualClock,
} from '../../src/emulator/emulator.ts';
import { BoundedCalls } from '../../src/bounded-calls.ts';
import type { Logger } from '../../src/log.ts';
import type { CycleTimer } from '../../src/schedule/cycle-timer.ts';
import { temporaryDirectory } from './directories.ts';
import { accountWith, emulate, emulateAccounts, unlimited } from './emulator.ts';
import { Samples, parseExposition } from './exposition.ts';
import { recordingLogger, silentLogger } from './loggers.ts';
import { TroubledDisk } from './troubled-disk.ts';

/** A configuration in the form of the file. */
type Input = z.input<ReturnType<typeof configSchema>>;
interface RegionInput {
  name: string;
  zones?: string[];
  launch_templates?: string[] | 'all' | { names?: string[]; tags?: Record<string, string> };
  max_launch_templates?: number;
  scaling_groups?: string[] | 'all' | { names?: string[]; tags?: Record<string, string> };
  instance_types?: {
    type: string;
    zones?: string[];
    charge_types?: string[];
    subnets?: string[];
  }[];
}
interface EveryRegionInput extends Omit<RegionInput, 'name' | 'zones'> {
  except?: string[];
}
interface AccountInput extends Omit<Input['accounts'][number], 'regions'> {
  quota_types?: string[];
  launches?: boolean;
  regions: (string | RegionInput)[] | 'all' | EveryRegionInput;
}
export type ConfigInput = Omit<Input, 'accounts'> & { accounts: AccountInput[] };

interface Places {
  /** The address of the service: the emulator, or the server of {@link MonitorOptions.serviceUrl}. */
  readonly endpoint: string;
  /** The directory of `data/` and of the files of {@link MonitorOptions.prepare}. */
  readonly directory: string;
}

export interface MonitorOptions {
  /** The configuration. It is read at the start and at each reload. */
  readonly config: (places: Places) => ConfigInput;
  /** The kinds of targets. Defaults to every kind of this program. */
  readonly collectors?: CollectorSet;
  /** The scenario of the emulator, or its file. Defaults to the official samples. */
  readonly scenario?: ScenarioInput | string;
  /** Replaces the emulator that would be started. */
  readonly emulator?: RunningEmulator;
  /** Starts a server between the daemon and the emulator, and returns its address. */
  readonly serviceUrl?: (emulator: RunningEmulator) => Promise<string>;
  /** Runs before the daemon starts. */
  readonly prepare?: (places: Places) => Promise<void>;
  /** Whether to wait for the first cycle. Defaults to true. */
  readonly waitsForFirstCycle?: boolean;
  /** The environment variables of the daemon. A test may change them at any time. */
  readonly env?: Readonly<Record<string, string>>;
  /** Defaults to one that writes nothing. */
  readonly logger?: Logger;
  /** Makes the calls to files, such as one of {@link TroubledDisk}. */
  readonly fileCalls?: BoundedCalls;
  /** The directory of an earlier monitor. Defaults to a new one. */
  readonly directory?: string;
  /** How often the lock of the storage is touched. Defaults to 100 ms. */
  readonly touchMs?: number;
  /** What {@link Monitor.clock} shows at first. */
  readonly startMs?: number;
}

/** Starts emulator and daemon. Both end with the test. */
export async function startMonitor(options: MonitorOptions) {
  const { collectors = ownCollectors } = options;
  const clock = createManualClock(options.startMs ?? 1_700_000_000_000);
  const { scenario } = options;
  const emulator =
    options.emulator ?? (await emulate({ ...(scenario !== undefined && { scenario }), clock }));
  const endpoint = (await options.serviceUrl?.(emulator)) ?? emulator.url;
  const directory = options.directory ?? (await temporaryDirectory());
  await options.prepare?.({ endpoint, directory });
  const loadConfig = () =>
    parseConfig(JSON.stringify(options.config({ endpoint, directory })), 'test', collectors);
  const timer = new ManualTimer();
  const daemon = await startDaemon({
    collectors,
    loadConfig: () => Promise.resolve(loadConfig()),
    web: { addresses: [{ host: '127.0.0.1', port: 0 }], minRenderMs: 0 },
    storagePath: `${directory}/data`,
    build: { version: 'test', revision: '' },
    logger: options.logger ?? silentLogger,
    signal: new AbortController().signal,
    onFatal: (error) => {
      throw error;
    },
    createTimer: () => timer,
    clock,
    random: () => 0,
    env: options.env ?? {},
    fileCalls: options.fileCalls ?? new BoundedCalls(),
    touchMs: options.touchMs ?? 100,
  });
  onTestFinished(() => daemon.stop());
  const get = (path: string) => fetch(daemon.url + path);
  const text = async () => (await get('/metrics')).text();
  // oxlint-disable-next-line typescript/no-explicit-any
  const json = async (path: string): Promise<any> => (await get(path)).json();
  const until = async (hasHappened: () => Promise<boolean>) => {
    while (!(await hasHappened())) await delay(15);
  };
  /** The complete cycles of each account. Asked often, so not parsed as a whole. */
  const completed = async () => {
    const found = (await text()).matchAll(/^cvm_monitor_cycles_total\{account="(.*)"\} (\d+)$/gm);
    return new Map(Array.from(found, ([, account, cycles]) => [account, Number(cycles)]));
  };
  if (options.waitsForFirstCycle !== false) await until(async () => (await get('/-/ready')).ok);
  return {
    daemon,
    emulator,
    /** A clock that only a test moves. The retries of the client do not wait for it. */
    clock,
    timer,
    directory,
    get,
    text,
    json,
    until,
    /** The exposition, checked by {@link parseExposition}. */
    metrics: async () => parseExposition(await text()),
    samples: async () => new Samples(await text()),
    /** The kinds and values of all changes, the oldest first. */
    feed: async () => {
      const { changes } = (await json('/api/v1/changes')) as {
        changes: { kind: string; from: number; to: number }[];
      };
      return changes.toReversed().map(({ kind, from, to }) => `${kind} ${from} → ${to}`);
    },
    /** Moves the time forward, runs one cycle of every account, and waits for its end. */
    cycle: async (afterMs = 60_000) => {
      const before = await completed();
      clock.advance(afterMs);
      timer.due();
      await until(async () => {
        const after = await completed();
        return [...after].every(([name, value]) => value > (before.get(name) ?? 0));
      });
    },
  };
}
export type Monitor = Awaited<ReturnType<typeof startMonitor>>;

/** A timer that is due only when a test says so. */
class ManualTimer implements CycleTimer {
  due: () => void = () => undefined;

  start(onDue: (missed: number) => void): void {
    this.due = () => {
      onDue(0);
    };
  }

  configure(): boolean {
    return false;
  }

  stop(): void {
    this.due = () => undefined;
  }

  nextRunMs(): number | null {
    return null;
  }
}

type Accounts = ConfigInput['accounts'];

export interface WatchOptions extends Partial<Omit<MonitorOptions, 'config' | 'serviceUrl'>> {
  readonly disk?: TroubledDisk;
  /** Read at the start and at each reload. Defaults to the quotas of one region of one account. */
  readonly accounts?: Accounts;
  readonly timeout?: string;
}

export const accountOf = (
  name: string,
  regions: Accounts[number]['regions'],
): Accounts[number] => ({
  name,
  credentials: { type: 'none' },
  quota_types: ['postpaid'],
  regions,
});

/** An emulator that never refuses a request as too frequent: the clock of a watch stands still. */
export const emulateWatched = (...regions: readonly string[]) =>
  emulateAccounts([accountWith('production', regions)], unlimited);

/**
 * A daemon in this process that watches an emulator, on a disk that can be in trouble.
 *
 *     const watch = await startWatch();                       // one region, its quotas only
 *     watch.disk.trouble = 'ENOSPC';
 *     watch.emulator.do(setLimit('postpaid', 300));
 *     await watch.cycle();
 *     (await watch.samples()).value('cvm_quota_limit_changes_total', { direction: 'raised' });
 */
export async function startWatch(options: WatchOptions = {}) {
  const { timeout = '10s' } = options;
  const emulator = options.emulator ?? (await emulateWatched('ap-guangzhou'));
  const disk = options.disk ?? new TroubledDisk();
  const { lines, logger } = recordingLogger();
  const accounts = options.accounts ?? [accountOf('production', ['ap-guangzhou'])];
  const present = { accounts };
  const monitor = await startMonitor({
    logger,
    fileCalls: disk,
    ...options,
    emulator,
    config: ({ endpoint }) => ({
      poll: { schedule: '0 0 1 1 *' },
      api: { endpoint, timeout, max_attempts: 1, requests_per_second: 20 },
      accounts: present.accounts,
    }),
  });
  return {
    ...monitor,
    options,
    disk,
    lines,
    /** Its accounts are read at each reload. */
    present,
    /** The messages of the log that begin with one of these words. */
    logged: (...beginnings: readonly string[]) =>
      lines
        .map(({ message }) => message)
        .filter((message) => beginnings.some((each) => message.startsWith(each))),
  };
}
export type Watch = Awaited<ReturnType<typeof startWatch>>;

/** Stops the daemon of a watch, and starts the next one on the same files. */
export async function restart({ options, ...watch }: Watch): Promise<Watch> {
  await watch.daemon.stop();
  return startWatch({
    ...options,
    emulator: watch.emulator,
    disk: new TroubledDisk(),
    accounts: watch.present.accounts,
    directory: watch.directory,
    startMs: watch.clock.now() + 60_000,
  });
}
