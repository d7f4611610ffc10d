/**
 * 200 random steps: changes at the service, faults, reloads, kills, restarts and a disk that is full. At the end,
 * counters and feed say what the emulator's own list of changes says. `SEED=… ` repeats a run, `STEPS=…` makes it longer.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FaultRuleInput } from '../../../src/emulator/emulator.ts';
import { CountedValues } from '../../support/counted-values.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { smallDisk } from '../../support/disks.ts';
import {
  accountWith,
  answerWith,
  emulateAccounts,
  regionOf,
  templateWith,
  unlimited,
} from '../../support/emulator.ts';
import { configOf, spawnDaemon } from '../../support/program.ts';
import { Random } from '../../support/random.ts';

const regions = ['ap-guangzhou', 'ap-shanghai', 'ap-beijing'];

/** A daemon that watches two zones and two templates of each region, on a disk that can be full. */
async function start() {
  const templatesOf = (region: string) =>
    ['first', 'later'].map((what) => `lt-${what}00${regions.indexOf(region)}`);
  const places = regions.map((name) => {
    const launch_templates = templatesOf(name).map((id) => ({
      id,
      ...templateWith(1, 1, 2, 3, 40),
    }));
    return regionOf(name, { launch_templates }, [`${name}-1`, `${name}-2`]);
  });
  // This process may see arrivals late. The rate has a scenario of its own.
  const emulator = await emulateAccounts([accountWith('production', places)], unlimited);
  const configured = (watched: readonly string[], warning: string) =>
    configOf(emulator, {
      api: { timeout: '1s', max_attempts: 2, requests_per_second: 20 },
      thresholds: { warning },
      regions: watched.map((name) => ({ name, launch_templates: templatesOf(name) })),
    });
  const disk = await smallDisk();
  const daemon = await spawnDaemon({
    config: configured(regions, '20%'),
    storagePath: join(disk?.directory ?? (await temporaryDirectory()), 'data'),
  });
  // The first success of a target is its baseline. What changes before it is no change.
  await daemon.metricsWhen((samples) => {
    const up = samples.matching('cvm_monitor_target_up');
    return up.length > 0 && up.every(({ value }) => value === 1);
  });
  return { emulator, disk, daemon, configured };
}

test(
  'After 200 random steps, each change of the service was counted once, and none was invented',
  { timeout: 1_200_000 },
  async () => {
    const firstSeed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
    console.log(`SEED=${firstSeed} repeats this run`);
    // Most of a step is waiting, so four daemons, each with a service, take a quarter of the steps each.
    const steps = Number(process.env.STEPS ?? 200) / 4;
    const walks = [0, 1, 2, 3].map(async (n) => {
      const random = new Random(firstSeed + n);
      const { emulator, disk, daemon, configured } = await start();
      const places = regions.map((region) => ({ account: 'production', region }));
      const values = new CountedValues(emulator, places, ['postpaid', 'prepaid', 'spotpaid']);

      /** Starts the next process. Without space it may refuse to start: then there is space again. */
      const startAgain = async () => {
        daemon.spawn();
        const exit = await Promise.race([daemon.ready().catch(() => null), daemon.exited]);
        if (exit === undefined) return;
        expect(disk?.isFull(), `it ended:\n${daemon.everything()}`).toBe(true);
        await disk?.free();
        daemon.spawn();
        await daemon.ready();
      };
      /** Compares a scrape with the emulator's list of changes. */
      const look = async () => {
        const wasFull = disk?.isFull() === true;
        const [first, ...troubles] = (await daemon.text('/-/ready')).trim().split('\n');
        const begunAtMs = performance.now();
        const samples = await daemon.metrics();
        const isStored = first?.startsWith('ready') === true && troubles.length === 0 && !wasFull;
        values.observe(samples, begunAtMs, isStored);
      };

      const actions: Readonly<Record<string, () => Promise<void> | void>> = {
        change: () => {
          values.changeSome(random, 0.4);
        },
        fault: () => {
          emulator.faults.clear();
          const fault = random.pick<FaultRuleInput>([
            { effect: 'error', code: 'InternalError' },
            { effect: 'error', code: 'UnauthorizedOperation' },
            { effect: 'error', code: 'RequestLimitExceeded', count: 3 },
            { effect: 'hang' },
            { effect: 'connection-reset' },
            { effect: 'http-status', status: 502 },
            { effect: 'latency', latency: '600ms' },
            answerWith('{"Response":'),
          ]);
          emulator.faults.add({ region: random.pick(regions), ...fault });
        },
        calm: () => {
          emulator.faults.clear();
        },
        reload: async () => {
          const some = regions.filter(() => random.chance(0.8));
          const watched = some.length === 0 ? regions : some;
          const status = await daemon.reload(configured(watched, random.pick(['20%', '30%'])));
          expect(status).toBe(200);
        },
        kill: async () => {
          await daemon.stop('SIGKILL');
          await startAgain();
        },
        restart: async () => {
          const exit = await daemon.stop(random.pick(['SIGTERM', 'SIGINT']));
          expect(exit).toEqual({ code: 0, signal: null });
          await startAgain();
        },
        disk: () => (disk?.isFull() === true ? disk.free() : disk?.fill()),
      };
      const odds = {
        change: 0.55,
        fault: 0.1,
        calm: 0.06,
        reload: 0.09,
        kill: 0.08,
        restart: 0.05,
        disk: 0.07,
      };
      const done: string[] = [];
      try {
        for (let step = 1; step <= steps; step += 1) {
          let left = random.next();
          const [name = 'change'] = Object.entries(odds).find(([, odd]) => (left -= odd) < 0) ?? [];
          done.push(name);
          await actions[name]?.();
          await delay(random.integer(0, 1_500));
          await look();
        }
        emulator.faults.clear();
        await disk?.free();
        await daemon.reload(configured(regions, '20%'));
        const unsettled = async () => {
          await look();
          return values.unsettled();
        };
        await expect.poll(unsettled, { timeout: 60_000 }).toEqual([]);
        await daemon.restart();
        expect(values.differences(await daemon.cycle())).toEqual([]);
        expect(values.differencesOfFeed(await daemon.feed())).toEqual([]);
      } catch (error) {
        console.error(
          `SEED=${firstSeed}, daemon ${n}: after ${done.join(' ')}\n${daemon.everything().slice(-8_000)}`,
        );
        throw error;
      }
      const changes = emulator.state.changes.total;
      const kinds = [...new Set(done)].map(
        (kind) => `${done.filter((name) => name === kind).length} ${kind}`,
      );
      console.log(`${changes} changes; ${kinds.join(', ')}`);
    });
    await Promise.all(walks);
  },
);
