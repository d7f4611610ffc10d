/**
 * Kills in all phases: counters equal the service's own list of changes. The lock is quick here; the scenario of
 * thirty kills has the real times.
 */
import { readdirSync, watch } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { configOf, startDaemon, type Daemon } from '../support/program.ts';
import { startService, type Service } from '../support/service.ts';

const kills = 300;
const sideBySide = 6;
const id = 'lt-b8v1kcyq';
const zone = 'ap-guangzhou-3';
const quickLock = `--import=${new URL('../support/fixtures/process/quick-lock.js', import.meta.url).href}`;

/** Resolves when a file of the storage with such a name is created, renamed or written. */
async function fileEvent({ storagePath }: Daemon, name: RegExp): Promise<void> {
  const names = () => readdirSync(storagePath).some((each) => name.test(each));
  await new Promise<void>((resolve) => {
    const watcher = watch(storagePath, (_type, file) => {
      if (name.test(file ?? '') || names()) end();
    });
    const timer = setTimeout(() => {
      end();
    }, 2_000);
    const end = () => {
      clearTimeout(timer);
      watcher.close();
      resolve();
    };
  });
}

/** What a daemon is at when it is killed. */
const moments: Readonly<Record<string, (daemon: Daemon, service: Service) => Promise<unknown>>> = {
  starting: () => delay(Math.random() * 400),
  locking: (daemon) => fileEvent(daemon, /^lock\./),
  reading: (daemon) => daemon.logged('serving'),
  polling: async (_daemon, service) => {
    const before = service.requests.length;
    while (service.requests.length < before + 2) await delay(1);
    await delay(Math.random() * 20);
  },
  writing: (daemon) => fileEvent(daemon, /\.tmp$/),
  renaming: (daemon) => fileEvent(daemon, /\.json$/),
  idle: async (daemon) => {
    await daemon.ready();
    await delay(Math.random() * 700);
  },
  stopping: async (daemon) => {
    await daemon.ready();
    daemon.signal('SIGTERM');
    await delay(Math.random() * 30);
  },
};

async function killRepeatedly(times: number): Promise<Record<string, number>> {
  const service = await startService();
  service.limitPerSecond = Infinity;
  const region = service.region('ap-guangzhou');
  region.createTemplate(id, { versions: [1, 2, 3], default: 1 });
  const daemon = await startDaemon({
    config: configOf(service, {
      account: { quota_types: ['postpaid', 'image'] },
      regions: [{ name: 'ap-guangzhou', launch_templates: [id] }],
    }),
    nodeFlags: [quickLock],
  });
  await daemon.cycle();
  const first = service.changes.length;
  const counts: Record<string, number> = {};
  let [limit, version] = [200, 1];

  for (let kill = 0; kill < times; kill += 1) {
    // Changes that every daemon sees: each one is met by a whole life at the latest.
    if (kill % 4 === 0) {
      limit += kill % 8 === 0 ? 100 : -50;
      region.setLimit('postpaid', zone, limit);
      version = 1 + (version % 3);
      region.setDefault(id, version);
    }
    const names = Object.keys(moments);
    const name = names[kill % names.length]!;
    await moments[name]!(daemon, service);
    await daemon.stop('SIGKILL');
    counts[name] = (counts[name] ?? 0) + 1;
    daemon.spawn();
    // The last of four lives sees the change, before the next one.
    if (kill % 4 === 3) await daemon.cycle();
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
  return counts;
}

test(
  'three hundred kills in all phases lose no change, count none twice, and damage no record',
  { timeout: 1_800_000 },
  async () => {
    const runs = await Promise.all(
      Array.from({ length: sideBySide }, () => killRepeatedly(kills / sideBySide)),
    );

    const total = runs.flatMap((counts) => Object.values(counts)).reduce((sum, n) => sum + n, 0);
    expect(total).toBe(kills);
    for (const name of Object.keys(moments)) {
      expect(runs.every((counts) => (counts[name] ?? 0) > 0)).toBe(true);
    }
  },
);
