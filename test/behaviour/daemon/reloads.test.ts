import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { loadConfigWithDeadline, type Config } from '../../../src/config/config.ts';
import { createReloads } from '../../../src/daemon/reloads.ts';
import { BoundedCalls } from '../../../src/bounded-calls.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { silentLogger } from '../../support/loggers.ts';
import { namedPipe } from '../../support/named-pipe.ts';

test('reloads fail while the file hangs, and succeed once it does no more', async () => {
  const [startedAtMs, nowMs] = [1_000, 5_000];
  const file = join(await temporaryDirectory(), 'config.yaml');
  const pipe = await namedPipe(file);
  const calls = new BoundedCalls({ timeoutMs: 100 });
  const config = { cluster: null } as unknown as Config;
  const reloads = createReloads({
    loadConfig: () => loadConfigWithDeadline(file, collectors, calls),
    config: () => config,
    apply: () => undefined,
    stopping: new AbortController().signal,
    clock: { now: () => nowMs },
    logger: silentLogger,
    startedAtMs,
  });

  const result = await reloads.request();
  const next = await reloads.request();

  expect(result).toEqual({ ok: false, reason: expect.stringContaining(file) as string });
  expect(next).toMatchObject({ ok: false });
  expect(reloads.results.last).toEqual({
    successMs: startedAtMs,
    problem: expect.stringContaining(file) as string,
  });
  await pipe.replaceBy('accounts: [{ name: a, credentials: { type: none }, regions: [ap-x] }]');
  await expect.poll(() => reloads.request()).toEqual({ ok: true });
  expect(reloads.results.last).toEqual({ successMs: nowMs, problem: null });
});
