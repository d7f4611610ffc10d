/** Kills in all phases: counters equal the service's own list of changes. The lock is quick, so that the next daemon is. */
import { rm, watch, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Samples } from '../../support/exposition.ts';
import { type Daemon, preload, watchService } from '../../support/program.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { quickLockProgram } from '../../support/quick-lock.ts';
import { startService, type Service } from '../../support/service.ts';

const kills = 300;
const sideBySide = 6;
const id = 'lt-b8v1kcyq';
const limitChanges = 'cvm_quota_limit_changes_total';
const defaultChanges = 'cvm_launch_template_default_version_changes_total';

/** A daemon, and after each kill the next one on the same files. */
interface Lane {
  readonly daemon: Daemon;
  readonly service: Service;
  /** While it is there, no rename begins. */
  readonly holdFile: string;
  /** Changes a limit and a default version. The change before must have been counted. */
  readonly change: () => void;
  /** What the last scrape has shown. */
  shown: readonly number[];
}

/**
 * Each second of this hour and of the next one. A start lists the times of a day several times: with every hour, that
 * would be a quarter of its work.
 */
function everySecond(): string {
  const hour = new Date().getUTCHours();
  return `* * ${hour},${(hour + 1) % 24} * * *`;
}

/** Resolves when a file of the storage with such a name is created, renamed or written. */
async function fileEvent({ storagePath }: Daemon, name: RegExp): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  for await (const { filename } of watch(storagePath, { signal })) {
    if (name.test(filename ?? '')) return;
  }
}

const firstCycle = (daemon: Daemon) => daemon.logged('first cycle ended');

/** The raised limits, the lowered ones, and the other default versions. */
function counted(samples: Samples): readonly number[] {
  const limits = (direction: string) =>
    samples.sum(limitChanges, { quota_type: 'postpaid', direction });
  return [limits('raised'), limits('lowered'), samples.sum(defaultChanges)];
}

/** What a daemon is at when it is killed. It was just started, except the first one, which has polled everything. */
const moments: readonly ((lane: Lane) => Promise<unknown>)[] = [
  // Writing. Most scrapes end before the kill, some do not.
  async (lane) => {
    const { change, daemon, holdFile } = lane;
    await firstCycle(daemon);
    await writeFile(holdFile, '');
    change();
    await fileEvent(daemon, /\.tmp$/);
    const scrape = daemon.metrics().then(
      (samples) => {
        lane.shown = counted(samples);
      },
      () => undefined,
    );
    await Promise.race([scrape, delay(Math.random() * 200)]);
  },
  // Waiting for an answer. Until it comes, what is shown is what was stored.
  async ({ daemon, service, shown }) => {
    const fault = service.fault({ hangs: true });
    const samples = await daemon.metricsWhen((each) =>
      [limitChanges, defaultChanges].every((name) => each.matching(name).length > 0),
    );
    fault.end();
    const stored = counted(samples);
    expect(shown.filter((count, index) => count > stored[index]!)).toEqual([]);
  },
  // Starting.
  () => delay(Math.random() * 400),
  // Locking.
  ({ daemon }) => fileEvent(daemon, /^lock\./),
  // Reading the storage.
  ({ daemon }) => daemon.logged('serving'),
  // Idle, or in a scheduled cycle.
  async ({ daemon }) => {
    await firstCycle(daemon);
    await delay(Math.random() * 700);
  },
  // Renaming.
  ({ change, daemon }) => {
    change();
    return fileEvent(daemon, /\.json$/);
  },
  // Polling.
  async ({ service }) => {
    const before = service.requests.length;
    while (service.requests.length < before + 2) await delay(2);
    await delay(Math.random() * 20);
  },
  // Any of these.
  () => delay(Math.random() * 800),
  // Stopping.
  async ({ daemon }) => {
    await firstCycle(daemon);
    daemon.signal('SIGTERM');
    await delay(Math.random() * 30);
  },
];

async function startLane(program: string): Promise<Lane> {
  const service = await startService();
  service.limitPerSecond = Infinity;
  const region = service.region('ap-guangzhou');
  region.createTemplate(id, { versions: [1, 2, 3], default: 1 });
  const holdFile = join(await temporaryDirectory(), 'hold');
  const daemon = await watchService(
    service,
    {
      account: { quota_types: ['postpaid', 'image'] },
      regions: [{ name: 'ap-guangzhou', launch_templates: [id] }],
      poll: { schedule: everySecond() },
    },
    { program, nodeFlags: [preload('held-renames')], env: { HOLD_RENAMES: holdFile } },
  );
  let [limit, version, isRaised] = [200, 1, false];
  const change = () => {
    isRaised = !isRaised;
    limit += isRaised ? 100 : -50;
    region.setLimit('postpaid', 'ap-guangzhou-3', limit);
    version = 1 + (version % 3);
    region.setDefault(id, version);
  };
  return { daemon, service, holdFile, change, shown: [0, 0, 0] };
}

async function killRepeatedly(times: number, program: string): Promise<void> {
  const lane = await startLane(program);
  const { daemon, holdFile, service } = lane;
  const first = service.changes.length;

  for (let kill = 0; kill < times; kill += 1) {
    await moments[kill % moments.length]!(lane);
    await daemon.stop('SIGKILL');
    await rm(holdFile, { force: true });
    daemon.spawn();
  }

  const samples = await daemon.cycle();
  const changes = service.changes.slice(first);
  const raised = changes.filter(({ kind, from, to }) => kind === 'limit' && to! > from!).length;
  const lowered = changes.filter(({ kind, from, to }) => kind === 'limit' && to! < from!).length;
  const defaults = changes.filter(({ kind }) => kind === 'default').length;
  expect(counted(samples)).toEqual([raised, lowered, defaults]);
  expect(samples.value('cvm_monitor_state_damaged_files_total')).toBe(0);
}

test(
  'Three hundred kills in all phases lose no change, count none twice, and damage no record',
  { timeout: 600_000 },
  async () => {
    const program = await quickLockProgram();
    const lanes = Array.from({ length: sideBySide }, () =>
      killRepeatedly(kills / sideBySide, program),
    );
    // After a failure, too: a daemon that was started after the test would never end.
    await Promise.allSettled(lanes);
    await Promise.all(lanes);
  },
);
