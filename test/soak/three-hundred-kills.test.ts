/**
 * Kills in all phases: counters equal the service's own list of changes. The lock is quick here; the scenario of
 * thirty kills has the real times.
 */
import { watch } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Daemon, watchService } from '../support/program.ts';
import { quickLockProgram } from '../support/quick-lock.ts';
import { startService, type Service } from '../support/service.ts';

const kills = 300;
const sideBySide = 10;
const id = 'lt-b8v1kcyq';

/** Resolves when a file of the storage with such a name is created, renamed or written. */
async function fileEvent({ storagePath }: Daemon, name: RegExp): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  for await (const { filename } of watch(storagePath, { signal })) {
    if (name.test(filename ?? '')) return;
  }
}

const firstCycle = (daemon: Daemon) => daemon.logged('first cycle ended');

/**
 * What a daemon is at when it is killed. The first and the fifth have a daemon that has polled everything, and a change
 * that it does not know. The others have one that was just started.
 */
const moments: readonly ((daemon: Daemon, service: Service) => Promise<unknown>)[] = [
  // Writing.
  (daemon) => fileEvent(daemon, /\.tmp$/),
  // Starting.
  () => delay(Math.random() * 400),
  // Locking.
  (daemon) => fileEvent(daemon, /^lock\./),
  // Reading the storage.
  (daemon) => daemon.logged('serving'),
  // Renaming.
  (daemon) => fileEvent(daemon, /\.json$/),
  // Polling.
  async (_daemon, service) => {
    const before = service.requests.length;
    while (service.requests.length < before + 2) await delay(2);
    await delay(Math.random() * 20);
  },
  // Idle, or in a scheduled cycle.
  async (daemon) => {
    await firstCycle(daemon);
    await delay(Math.random() * 700);
  },
  // Stopping.
  async (daemon) => {
    await firstCycle(daemon);
    daemon.signal('SIGTERM');
    await delay(Math.random() * 30);
  },
];

async function killRepeatedly(times: number, program: string): Promise<void> {
  const service = await startService();
  service.limitPerSecond = Infinity;
  const region = service.region('ap-guangzhou');
  region.createTemplate(id, { versions: [1, 2, 3], default: 1 });
  const daemon = await watchService(
    service,
    {
      account: { quota_types: ['postpaid', 'image'] },
      regions: [{ name: 'ap-guangzhou', launch_templates: [id] }],
    },
    { program },
  );
  const first = service.changes.length;
  let [limit, version] = [200, 1];

  for (let kill = 0; kill < times; kill += 1) {
    if (kill % 4 === 0) {
      // The last of four lives sees the changes, before the next ones.
      await firstCycle(daemon);
      limit += kill % 8 === 0 ? 100 : -50;
      region.setLimit('postpaid', 'ap-guangzhou-3', limit);
      version = 1 + (version % 3);
      region.setDefault(id, version);
    }
    await moments[kill % moments.length]!(daemon, service);
    await daemon.stop('SIGKILL');
    daemon.spawn();
  }

  const samples = await daemon.cycle();
  const changes = service.changes.slice(first);
  const raised = changes.filter(({ kind, from, to }) => kind === 'limit' && to! > from!).length;
  const lowered = changes.filter(({ kind, from, to }) => kind === 'limit' && to! < from!).length;
  const limits = (direction: string) =>
    samples.sum('cvm_quota_limit_changes_total', { quota_type: 'postpaid', direction });
  expect([limits('raised'), limits('lowered')]).toEqual([raised, lowered]);
  expect(samples.value('cvm_launch_template_default_version_changes_total')).toBe(
    changes.filter(({ kind }) => kind === 'default').length,
  );
  expect(samples.value('cvm_monitor_state_damaged_files_total')).toBe(0);
}

test(
  'three hundred kills in all phases lose no change, count none twice, and damage no record',
  { timeout: 600_000 },
  async () => {
    const program = await quickLockProgram();
    await Promise.all(
      Array.from({ length: sideBySide }, () => killRepeatedly(kills / sideBySide, program)),
    );
  },
);
