/**
 * A daemon in this process that watches the service of the scenarios, on a disk that can be in trouble.
 *
 *     const watch = await startWatch();                       // one region, its quotas only
 *     watch.disk.trouble = 'ENOSPC';
 *     watch.service.region('ap-guangzhou').setLimit('postpaid', 'ap-guangzhou-3', 300);
 *     await watch.cycle();
 *     (await watch.samples()).value('cvm_quota_limit_changes_total', { direction: 'raised' });
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ConfigInput } from './monitor.ts';
import { startMonitor, type Monitor, type MonitorOptions } from './monitor.ts';
import { recordingLogger, type LoggedLine } from './recording-logger.ts';
import { Samples } from './samples.ts';
import { startService, type Service } from './service.ts';
import { TroubledDisk } from './troubled-disk.ts';

type Accounts = ConfigInput['accounts'];

export interface WatchOptions extends Partial<Omit<MonitorOptions, 'config' | 'serviceUrl'>> {
  readonly service?: Service;
  readonly disk?: TroubledDisk;
  /** Read at the start and at each reload. Defaults to the quotas of one region of one account. */
  readonly accounts?: Accounts;
  readonly timeout?: string;
}

export interface Watch {
  readonly service: Service;
  readonly disk: TroubledDisk;
  readonly monitor: Monitor;
  readonly lines: readonly LoggedLine[];
  /** A reload reads them again. */
  accounts: Accounts;
  /** Runs one cycle of every account, and waits for its end. */
  readonly cycle: (afterMs?: number) => Promise<void>;
  readonly samples: () => Promise<Samples>;
  /** The kinds and values of all changes, the oldest first. */
  readonly feed: () => Promise<readonly string[]>;
  /** The messages of the log that begin with one of these words. */
  readonly logged: (...beginnings: readonly string[]) => readonly string[];
  /** Stops the daemon, and starts the next one on the same files. */
  readonly restart: () => Promise<Watch>;
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

export async function startWatch(options: WatchOptions = {}): Promise<Watch> {
  const { accounts = [accountOf('production', ['ap-guangzhou'])], timeout = '10s' } = options;
  const service = options.service ?? (await startService());
  const disk = options.disk ?? new TroubledDisk();
  const { lines, logger } = recordingLogger();
  if (options.service === undefined) {
    service.limitPerSecond = Infinity;
    service.region('ap-guangzhou');
  }
  const present = { accounts };
  const monitor = await startMonitor({
    logger,
    fileCalls: disk,
    ...options,
    serviceUrl: () => Promise.resolve(service.url),
    config: ({ endpoint }) => ({
      poll: { schedule: '0 0 1 1 *' },
      api: { endpoint, timeout, max_attempts: 1, requests_per_second: 20 },
      accounts: present.accounts,
    }),
  });
  const samples = async () => new Samples(await monitor.text());
  const completed = async () =>
    new Map(
      (await samples())
        .matching('cvm_monitor_cycles_total')
        .map(({ labels, value }) => [labels.account, value]),
    );
  const feed = async () => {
    const { changes } = (await monitor.json('/api/v1/changes')) as {
      changes: { region: string; kind: string; from: number; to: number }[];
    };
    return changes.toReversed().map(({ kind, from, to }) => `${kind} ${from} → ${to}`);
  };
  return {
    service,
    disk,
    monitor,
    lines,
    get accounts() {
      return present.accounts;
    },
    set accounts(next) {
      present.accounts = next;
    },
    cycle: async (afterMs = 60_000) => {
      const before = await completed();
      monitor.clock.advance(afterMs);
      monitor.schedule.due();
      for (;;) {
        const after = await completed();
        if ([...after].every(([name, value]) => value > (before.get(name) ?? 0))) return;
        await delay(10);
      }
    },
    samples,
    feed,
    logged: (...beginnings) =>
      lines
        .map(({ message }) => message)
        .filter((message) => beginnings.some((each) => message.startsWith(each))),
    restart: async () => {
      await monitor.daemon.stop();
      return startWatch({
        ...options,
        service,
        disk: new TroubledDisk(),
        accounts: present.accounts,
        directory: monitor.directory,
        startMs: monitor.clock.now() + 60_000,
      });
    },
  };
}
