/** Which files a quiet poll and the next scrape run through, as V8 counts the calls of their functions. */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { expect, test } from 'vitest';
import { startWatch } from '../support/monitor.ts';

/** Of the most files that a reader opens who follows one quota from the schedule to `/metrics`. */
const maxFiles = 45;

/**
 * The cycles of a test are due when it says so, and not when the timer of the schedule does. The lock is touched from time
 * to time, whether or not anything is polled.
 */
const [timer, beside] = [
  'src/schedule/timer.ts',
  ['src/bounded-calls.ts', 'src/storage/file-store.ts', 'src/storage/lock.ts'],
];

test('a quiet poll and the next scrape run through the files that docs/architecture.md lists', async () => {
  const watch = await startWatch();
  await watch.cycle();
  const profiler = new Session();
  profiler.connect();
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

  await watch.cycle();
  await watch.text();

  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  profiler.disconnect();
  const called = result.filter(({ functions }) =>
    functions.some(({ ranges: [range] }) => range!.count > 0 && range!.startOffset > 0),
  );
  const files = called.flatMap(
    ({ url }) => /src\/(?!emulator\/|validation\/).*\.ts$/.exec(url)?.[0] ?? [],
  );
  const run = [timer, ...files.filter((file) => !beside.includes(file))].toSorted();
  const walk = readFileSync('docs/architecture.md', 'utf8').split('## One poll')[1];
  const listed = [...new Set(walk?.match(/src\/[\w/-]+\.ts/g))].toSorted();
  expect(listed).toEqual(run);
  expect(run.length).toBeLessThanOrEqual(maxFiles);
});
