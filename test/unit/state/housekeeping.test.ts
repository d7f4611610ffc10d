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
