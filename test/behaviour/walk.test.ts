/** Which files a quiet poll and the next scrape run through, as V8 counts the calls of their functions. */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { expect, onTestFinished, test } from 'vitest';
import { BoundedCalls } from '../../src/bounded-calls.ts';
import { collectors } from '../../src/collectors/collectors.ts';
import { parseConfig } from '../../src/config/config.ts';
import { startDaemon } from '../../src/daemon/daemon.ts';
import { temporaryDirectory } from '../support/directories.ts';
import { emulateRegions } from '../support/emulator.ts';
import { silentLogger } from '../support/loggers.ts';

/** As many files as a reader opens at most who follows one quota from the schedule to `/metrics`. */
const maxFiles = 45;

/** The lock is touched from time to time, whether or not anything is polled. The emulator is the service. */
const beside = /src\/(bounded-calls|storage\/(file-store|lock)|(emulator|validation)\/.*)\.ts$/;

test('a quiet poll and the next scrape run through the files that docs/architecture.md lists', async () => {
  const { url } = await emulateRegions('ap-guangzhou');
  const text = `
poll: { schedule: "* * * * * *" }
api: { endpoint: "${url}" }
accounts: [{ name: production, credentials: { type: none }, regions: [ap-guangzhou] }]`;
  const daemon = await startDaemon({
    loadConfig: () => Promise.resolve(parseConfig(text, 'test', collectors)),
    web: { addresses: [{ host: '127.0.0.1', port: 0 }], minRenderMs: 0 },
    storagePath: await temporaryDirectory(),
    build: { version: 'test', revision: '' },
    logger: silentLogger,
    signal: new AbortController().signal,
    onFatal: (error) => {
      throw error;
    },
    clock: { now: () => Date.now() },
    random: () => 0,
    env: {},
    fileCalls: new BoundedCalls(),
  });
  onTestFinished(() => daemon.stop());
  const cycles = async () => {
    const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
    return Number(/^cvm_monitor_cycles_total\{.*\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
  };
  await expect.poll(cycles).toBeGreaterThan(1);
  const profiler = new Session();
  profiler.connect();
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

  const before = await cycles();
  await expect.poll(cycles).toBeGreaterThan(before + 1);

  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  await profiler.post('Profiler.stopPreciseCoverage');
  profiler.disconnect();
  const called = result.filter(({ functions }) =>
    functions.some(({ ranges: [range] }) => range!.count > 0 && range!.startOffset > 0),
  );
  const files = called.flatMap(({ url: file }) => /\/(src\/.*\.ts)$/.exec(file)?.[1] ?? []);
  const run = files.filter((file) => !beside.test(file)).toSorted();
  const walk = readFileSync('docs/architecture.md', 'utf8').split('## One poll')[1];
  const listed = [...new Set(walk?.match(/src\/[\w/-]+\.ts/g))].toSorted();
  expect(run.length).toBeLessThanOrEqual(maxFiles);
  expect(listed).toEqual(run);
});
