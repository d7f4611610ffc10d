import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { loadConfigInTime, type Config } from '../../../src/config/config.ts';
import { Reloads, type ReloadsOptions } from '../../../src/daemon/reloads.ts';
import { BoundedCalls } from '../../../src/files/bounded-calls.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { namedPipe } from '../../support/named-pipe.ts';
import { silentLogger } from '../../support/loggers.ts';

const startedAtMs = 1_000;
const nowMs = 5_000;

function setUp(options: Partial<ReloadsOptions> = {}) {
  const file = { isBad: false, loads: 0 };
  const state = { isStopping: false, replaced: 0 };
  const lines: string[] = [];
  const reloads = new Reloads(
    {
      loadConfig: () => {
        file.loads += 1;
        return file.isBad ? Promise.reject(new Error('bad')) : Promise.resolve({} as Config);
      },
      clock: { now: () => nowMs },
      logger: { ...silentLogger, error: (message) => void lines.push(message) },
      isStopping: () => state.isStopping,
      replace: () => {
        state.replaced += 1;
        return { ok: true };
      },
      ...options,
    },
    startedAtMs,
  );
  return { reloads, file, state, lines };
}

describe('reloads', () => {
  test('that wait for the same end share one', async () => {
    const { reloads, file } = setUp();

    const first = reloads.request();
    await Promise.resolve();
    const waiting = [reloads.request(), reloads.request()];
    await Promise.all([first, ...waiting]);

    expect(file.loads).toBe(2);
    expect(waiting[0]).toBe(waiting[1]);
  });

  test('that fail replace nothing, and keep the time of the last success', async () => {
    const { reloads, file, state, lines } = setUp();
    file.isBad = true;

    const result = await reloads.request();
    await reloads.request();

    expect(result).toEqual({ ok: false, reason: 'bad' });
    expect(reloads.last).toMatchObject({ successful: false, successMs: startedAtMs });
    expect(lines).toHaveLength(2);
    expect(state.replaced).toBe(0);
  });

  test('succeed after a failure', async () => {
    const { reloads, file } = setUp();
    file.isBad = true;
    await reloads.request();
    file.isBad = false;

    await reloads.request();

    expect(reloads.last).toEqual({ successful: true, successMs: nowMs, problem: null });
  });

  test('fail while the file hangs, and succeed once it does no more', async () => {
    const file = join(await temporaryDirectory(), 'config.yaml');
    const pipe = await namedPipe(file);
    const calls = new BoundedCalls({ timeoutMs: 100 });
    const { reloads } = setUp({ loadConfig: () => loadConfigInTime(file, collectors, calls) });

    const result = await reloads.request();
    const next = await reloads.request();

    expect(result).toEqual({ ok: false, reason: expect.stringContaining(file) as string });
    expect(next).toMatchObject({ ok: false });
    expect(reloads.last).toMatchObject({ successful: false, successMs: startedAtMs });
    await pipe.replaceBy('accounts: [{ name: a, credentials: { type: none }, regions: [ap-x] }]');
    await expect.poll(() => reloads.request()).toEqual({ ok: true });
    expect(reloads.last).toEqual({ successful: true, successMs: nowMs, problem: null });
  });

  test('replace nothing once the daemon stops', async () => {
    const { reloads, state } = setUp();

    const loading = reloads.request();
    await Promise.resolve();
    state.isStopping = true;

    expect(await loading).toMatchObject({ ok: false });
    expect(state.replaced).toBe(0);
  });
});
