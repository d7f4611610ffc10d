import { expect, onTestFinished, test, vi } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import { createLocalRecords } from '../../../src/storage/local-records.ts';
import { recordingLogger } from '../../support/loggers.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { quotaRecord } from '../../support/records.ts';

const dayMs = 24 * 3_600_000;

test('the record of a target that is gone is removed 30 days after its last poll, and a watched one never', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const [gone, watched] = [quotaRecord('ap-gone'), quotaRecord('ap-watched')];
  const store = createMemoryStore();
  await Promise.all([gone, watched].map((record) => store.save(record)));
  const { lines, logger } = recordingLogger();
  const published = new PublishedRecords();
  const polledAtMs = gone.observed.freshness.lastPoll!.atMs;
  const clock = { ms: polledAtMs + 30 * dayMs - 1, now: () => clock.ms };
  const records = createLocalRecords({
    store,
    collectors,
    published,
    clock,
    logger,
    observedPeriodMs: 5,
  });
  await records.load();
  published.setTargets([watched.target], (target) => collectors.of(target));
  records.start();
  const stored = async () => (await store.load()).records.map(({ target }) => target.region);

  vi.advanceTimersByTime(5);
  expect(await stored()).toEqual(['ap-gone', 'ap-watched']);

  clock.ms += 2;
  vi.advanceTimersByTime(5);
  await expect.poll(stored).toEqual(['ap-watched']);
  await expect.poll(() => published.gone()).toEqual([]);
  expect(lines.map(({ message }) => message)).toEqual([
    'record removed: its target has been gone for 30 days',
  ]);
  await records.close();
});
