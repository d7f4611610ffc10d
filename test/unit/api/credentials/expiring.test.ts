import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ExpiringCredentials,
  fetchPauseMs,
  refreshAtMs,
  type TemporaryCredentials,
} from '../../../../src/api/credentials/expiring.ts';

describe('the time of a renewal', () => {
  it.each([
    [7_200, 6_900],
    [1_500, 1_200],
    [1_000, 800],
    [60, 48],
  ])('of credentials that live for %i s is after %i s', (lifetimeSeconds, refreshSeconds) => {
    expect(refreshAtMs(5_000, 5_000 + lifetimeSeconds * 1_000)).toBe(
      5_000 + refreshSeconds * 1_000,
    );
  });
});

describe('the pause after failures', () => {
  it.each([
    [1, 500, 1_000],
    [2, 1_000, 2_000],
    [6, 16_000, 32_000],
    [7, 30_000, 60_000],
    [1_000, 30_000, 60_000],
  ])('%i is %i to %i ms', (failures, leastMs, mostMs) => {
    expect(fetchPauseMs(failures, 0)).toBe(leastMs);
    expect(fetchPauseMs(failures, 1)).toBe(mostMs);
  });
});

const hourMs = 3_600_000;

/** A source whose fetches the test ends. Time is that of the fake timers. */
function arrange() {
  const fetches: {
    succeed: (name: string, lifetimeMs?: number) => void;
    fail: (message?: string) => void;
  }[] = [];
  const failures: unknown[] = [];
  const provider = new ExpiringCredentials({
    fetch: () =>
      new Promise<TemporaryCredentials>((resolve, reject) => {
        fetches.push({
          succeed: (name, lifetimeMs = hourMs) => {
            resolve({ credentials: set(name), expiresAtMs: Date.now() + lifetimeMs });
          },
          fail: (message = 'refused') => {
            reject(new Error(message));
          },
        });
      }),
    clock: { now: () => Date.now() },
    random: () => 0,
    onFailed: (error) => failures.push(error),
    onFetched: () => undefined,
  });
  /** The credentials of the first fetch. */
  const begin = async (lifetimeMs = hourMs) => {
    const first = provider.get();
    fetches.at(-1)!.succeed('first', lifetimeMs);
    await first;
  };
  return { provider, fetches, failures, begin };
}

const set = (name: string) => ({
  secretId: `${name}-id`,
  secretKey: `${name}-key`,
  token: `${name}-token`,
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('temporary credentials', () => {
  it('are fetched once for requests at the same time', async () => {
    const { provider, fetches } = arrange();

    const both = Promise.all([provider.get(), provider.get()]);
    fetches[0]!.succeed('first');

    expect(await both).toEqual([set('first'), set('first')]);
    expect(await provider.get()).toEqual(set('first'));
    expect(fetches).toHaveLength(1);
  });

  it('are renewed before their end without a request, and used until others are there', async () => {
    const { provider, fetches, begin } = arrange();
    await begin();

    await vi.advanceTimersByTimeAsync(hourMs - 300_001);
    expect(fetches).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(fetches).toHaveLength(2);
    expect(await provider.get()).toEqual(set('first'));

    fetches[1]!.succeed('second');
    await vi.advanceTimersByTimeAsync(0);
    expect(await provider.get()).toEqual(set('second'));
    expect(provider.expiresAtMs()).toBe(Date.now() + hourMs);
  });

  it('are renewed by a request after the process was suspended', async () => {
    const { provider, fetches, begin } = arrange();
    await begin();

    vi.setSystemTime(Date.now() + hourMs - 60_000);

    expect(await provider.get()).toEqual(set('first'));
    expect(fetches).toHaveLength(2);
  });

  it('are used until they end while fetches fail, with longer and longer pauses', async () => {
    const { provider, fetches, failures, begin } = arrange();
    await begin();
    const startedMs: number[] = [];

    while (Date.now() < provider.expiresAtMs()! - 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      if (fetches.length - 1 > startedMs.length) {
        startedMs.push(Date.now());
        fetches.at(-1)!.fail();
        if (Date.now() < provider.expiresAtMs()!) {
          expect(await provider.get()).toEqual(set('first'));
        }
      }
    }

    const pauses = startedMs.slice(1).map((atMs, i) => (atMs - startedMs[i]!) / 1_000);
    expect(pauses.slice(0, 7)).toEqual([1, 1, 2, 4, 8, 16, 30]);
    expect(failures.length).toBeGreaterThan(10);
  });

  it('that have ended are not used: a request waits for others', async () => {
    const { provider, fetches, begin } = arrange();
    await begin();
    await vi.advanceTimersByTimeAsync(hourMs);
    expect(fetches).toHaveLength(2);

    const waiting = provider.get();
    fetches[1]!.fail();
    await expect(waiting).rejects.toThrow('refused');

    await vi.advanceTimersByTimeAsync(1_000);
    const next = provider.get();
    fetches[2]!.succeed('second');
    expect(await next).toEqual(set('second'));
  });

  it('keep no failure: a request fetches again a second later', async () => {
    const { provider, fetches } = arrange();
    const first = provider.get();
    fetches[0]!.fail();
    await expect(first).rejects.toThrow('refused');
    await expect(provider.get()).rejects.toThrow('refused');
    expect(fetches).toHaveLength(1);

    vi.setSystemTime(Date.now() + 1_000);
    const second = provider.get();
    fetches[1]!.succeed('second');

    expect(await second).toEqual(set('second'));
  });

  it('are fetched again in the background after a failure, without a request', async () => {
    const { provider, fetches } = arrange();
    const first = provider.get();
    fetches[0]!.fail();
    await expect(first).rejects.toThrow('refused');

    await vi.advanceTimersByTimeAsync(1_000);
    fetches[1]!.succeed('second');

    expect(await provider.get()).toEqual(set('second'));
    expect(fetches).toHaveLength(2);
  });

  it('that were refused are replaced once for all requests that used them', async () => {
    const { provider, fetches, begin } = arrange();
    await begin();
    await vi.advanceTimersByTimeAsync(60_000);

    const rotated = Promise.all([provider.refused(set('first')), provider.refused(set('first'))]);
    const waiting = provider.get();
    fetches[1]!.succeed('second');

    expect(await rotated).toEqual([true, true]);
    expect(await waiting).toEqual(set('second'));
    expect(await provider.refused(set('first'))).toBe(true);
    expect(fetches).toHaveLength(2);
  });

  it('that were refused are used if there are no others', async () => {
    const { provider, fetches, begin } = arrange();
    await begin();
    await vi.advanceTimersByTimeAsync(60_000);

    const rotated = provider.refused(set('first'));
    fetches[1]!.fail();

    expect(await rotated).toBe(false);
    expect(await provider.get()).toEqual(set('first'));
  });

  it('that were refused as soon as they came are not fetched again', async () => {
    const { provider, fetches, begin } = arrange();
    await begin();

    expect(await provider.refused(set('first'))).toBe(false);
    expect(fetches).toHaveLength(1);
  });

  it('whose source gives the same ones until they end are asked for a few times only', async () => {
    const { provider, fetches, begin } = arrange();
    await begin();
    const untilMs = provider.expiresAtMs()!;

    while (Date.now() < untilMs - 2_000) {
      await vi.advanceTimersByTimeAsync(500);
      fetches.at(-1)!.succeed('first', untilMs - Date.now());
    }

    expect(fetches.length).toBeLessThan(8);
  });

  it('are no longer fetched after the provider is closed', async () => {
    const { provider, fetches, begin } = arrange();
    await begin();

    provider.close();
    await vi.advanceTimersByTimeAsync(hourMs);

    expect(fetches).toHaveLength(1);
  });
});
