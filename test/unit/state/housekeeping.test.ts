import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Target } from '../../../src/model/target.ts';
import { Housekeeping } from '../../../src/state/housekeeping.ts';
import { createMemoryStore } from '../../helpers/memory-store.ts';
import { silentLogger } from '../../helpers/silent-logger.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const live: Target = { account: 'a', region: 'b', operation: 'c' };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('removes and logs the records of targets that are gone, at the start and once a day', async () => {
  const asked: boolean[] = [];
  const store = {
    ...createMemoryStore(),
    removeGone: (isLive: (target: Target) => boolean) => {
      asked.push(isLive(live));
      return Promise.resolve([`gone-${asked.length}.json`, 'other.json']);
    },
  };
  const removed: unknown[] = [];
  const logger = {
    ...silentLogger,
    info: (_: string, fields?: Readonly<Record<string, unknown>>) =>
      void removed.push(fields?.file),
  };
  const housekeeping = new Housekeeping(store, logger, (target) => target === live);

  housekeeping.start();
  await vi.advanceTimersByTimeAsync(dayMs - 1);
  expect(removed).toEqual(['gone-1.json', 'other.json']);
  await vi.advanceTimersByTimeAsync(1);
  expect(removed).toEqual(['gone-1.json', 'other.json', 'gone-2.json', 'other.json']);

  housekeeping.stop();
  await vi.advanceTimersByTimeAsync(2 * dayMs);
  expect(asked).toEqual([true, true]);
});

it('goes on after a store that failed', async () => {
  let asked = 0;
  const store = {
    ...createMemoryStore(),
    removeGone: () => {
      asked += 1;
      return Promise.reject(new Error('Command timed out'));
    },
  };
  const warned: unknown[] = [];
  const logger = {
    ...silentLogger,
    warn: (_: string, fields?: Readonly<Record<string, unknown>>) =>
      void warned.push(fields?.reason),
  };
  const housekeeping = new Housekeeping(store, logger, () => true);

  housekeeping.start();
  await vi.advanceTimersByTimeAsync(dayMs);

  housekeeping.stop();
  expect(asked).toBe(2);
  expect(warned).toEqual(['Command timed out', 'Command timed out']);
});
