/** Kills in all phases: counters equal the emulator's own list of changes. The lock is quick, so that the next daemon is. */
import { watch } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { StateChange } from '../../../src/emulator/emulator.ts';
import { heldRenames } from '../../support/disks.ts';
import {
  accountWith,
  emulateAccounts,
  regionOf,
  setLimit,
  templateWith,
  unlimited,
} from '../../support/emulator.ts';
import type { Samples } from '../../support/exposition.ts';
import { type Daemon, watchEmulator } from '../../support/program.ts';
import { quickLockProgram } from '../../support/quick-lock.ts';

const template = { region: 'ap-guangzhou', template_id: 'lt-b8v1kcyq' };
const limitChanges = 'cvm_quota_limit_changes_total';
const defaultChanges = 'cvm_launch_template_default_version_changes_total';

/** The raised limits, the lowered ones, and the other default versions. */
function counted(samples: Samples): readonly number[] {
  const limits = (direction: string) =>
    samples.sum(limitChanges, { quota_type: 'postpaid', direction });
  return [limits('raised'), limits('lowered'), samples.sum(defaultChanges)];
}

/** Resolves when a file of the storage with such a name is created, renamed or written. */
async function fileEvent({ storagePath }: Daemon, name: RegExp): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  for await (const { filename } of watch(storagePath, { signal })) {
    if (name.test(filename ?? '')) return;
  }
}

/** A daemon whose renames a test can hold up, which polls in each second of this hour and of the next one. */
async function startLane(program: string) {
  const launch_templates = [{ id: template.template_id, ...templateWith(1, 1, 2, 3) }];
  const region = regionOf('ap-guangzhou', { launch_templates });
  const emulator = await emulateAccounts([accountWith('production', [region])], unlimited);
  const renames = await heldRenames();
  const hour = new Date().getUTCHours();
  const daemon = await watchEmulator(
    emulator,
    {
      account: { quota_types: ['postpaid', 'image'] },
      regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] }],
      // A start lists the times of a day several times: with every hour, that would be a quarter of its work.
      poll: { schedule: `* * ${hour},${(hour + 1) % 24} * * *` },
    },
    { program, ...renames.options },
  );
  return { daemon, emulator, renames };
}

test(
  'Three hundred kills in all phases lose no change, count none twice, and damage no record',
  { timeout: 600_000 },
  async () => {
    const program = await quickLockProgram();
    const lanes = Array.from({ length: 6 }, async () => {
      const { daemon, emulator, renames } = await startLane(program);
      let [limit, version, isRaised] = [200, 1, false];
      /** The change before must have been counted. */
      const change = () => {
        isRaised = !isRaised;
        limit += isRaised ? 100 : -50;
        emulator.do(setLimit('postpaid', limit));
        version = 1 + (version % 3);
        emulator.do({ do: 'set-default-version', ...template, version });
      };
      /** What the last scrape has shown. */
      let shown: readonly number[] = [0, 0, 0];
      /** What the daemon does when it is killed. It was just started, except the first one, which has polled everything. */
      const moments: Readonly<Record<string, () => Promise<unknown>>> = {
        // Most scrapes end before the kill, some do not.
        writes: async () => {
          await daemon.logged('first cycle ended');
          await renames.hold();
          change();
          await fileEvent(daemon, /\.tmp$/);
          const scrape = daemon.metrics().then(
            (samples) => {
              shown = counted(samples);
            },
            () => undefined,
          );
          await Promise.race([scrape, delay(Math.random() * 200)]);
        },
        // Until the answer comes, what is shown is what was stored.
        'waits for an answer': async () => {
          emulator.faults.add({ effect: 'hang' });
          const samples = await daemon.metricsWhen((each) =>
            [limitChanges, defaultChanges].every((name) => each.matching(name).length > 0),
          );
          emulator.faults.clear();
          const stored = counted(samples);
          expect(shown.filter((count, index) => count > stored[index]!)).toEqual([]);
        },
        starts: () => delay(Math.random() * 400),
        locks: () => fileEvent(daemon, /^lock\./),
        'reads the storage': () => daemon.logged('serving'),
        'is idle, or runs a scheduled cycle': async () => {
          await daemon.logged('first cycle ended');
          await delay(Math.random() * 700);
        },
        renames: () => {
          change();
          return fileEvent(daemon, /\.json$/);
        },
        polls: async () => {
          const before = emulator.requests.total;
          while (emulator.requests.total < before + 2) await delay(2);
          await delay(Math.random() * 20);
        },
        'does any of these': () => delay(Math.random() * 800),
        stops: async () => {
          await daemon.logged('first cycle ended');
          daemon.signal('SIGTERM');
          await delay(Math.random() * 30);
        },
      };
      for (let round = 0; round < 5; round += 1) {
        for (const moment of Object.values(moments)) {
          await moment();
          await daemon.stop('SIGKILL');
          await renames.release();
          daemon.spawn();
        }
      }

      const samples = await daemon.cycle();
      const changes = emulator.state.changes.list();
      const made = (wanted: StateChange['kind']) =>
        changes.filter(({ kind }) => kind === wanted).length;
      expect(counted(samples)).toEqual([
        made('quota-limit-raised'),
        made('quota-limit-lowered'),
        made('default-version-changed'),
      ]);
      expect(samples.value('cvm_monitor_state_damaged_files_total')).toBe(0);
    });
    // After a failure, too: a daemon that was started after the test would never end.
    await Promise.allSettled(lanes);
    await Promise.all(lanes);
  },
);
