import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { KeptCredentials, refreshAtMs } from '../../../src/credentials/provider.ts';

const hourMs = 3_600_000;

it.each([
  [7_200, 6_900],
  [1_500, 1_200],
  [1_000, 800],
  [60, 48],
])(
  'the time of a renewal of credentials that live for %i s is after %i s',
  (lifetimeSeconds, refreshSeconds) => {
    expect(refreshAtMs(5_000, 5_000 + lifetimeSeconds * 1_000)).toBe(
      5_000 + refreshSeconds * 1_000,
    );
  },
);

const set = (name: string) => ({ secretId: name, secretKey: name, token: name });

/** A source whose fetches the test ends. */
function source(lifetimeMs?: number) {
  let nowMs = 1_000_000;
  const fetches: { succeed: (name: string) => void; fail: () => void }[] = [];
  const provider = new KeptCredentials(
    () =>
      new Promise((resolve, reject) => {
        fetches.push({
          succeed: (name) => {
            resolve({
              ...set(name),
              ...(lifetimeMs !== undefined && { expiresAtMs: nowMs + lifetimeMs }),
            });
          },
          fail: () => {
            reject(new Error('refused'));
          },
        });
      }),
    { now: () => nowMs },
  );
  const begin = async () => {
    const first = provider.get();
    fetches[0]!.succeed('first');
    await first;
  };
  return {
    provider,
    fetches,
    begin,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

it('credentials without an end are read again after a second, also when the clock was set back, and a use waits for that', async () => {
  const { provider, fetches, begin, pass } = source();
  await begin();

  pass(999);
  expect(await provider.get()).toEqual(set('first'));
  for (const [i, passedMs] of [1, -10_000].entries()) {
    pass(passedMs);
    const next = provider.get();
    fetches[i + 1]!.succeed(`set ${i}`);
    expect(await next).toEqual(set(`set ${i}`));
  }
  expect(fetches).toHaveLength(3);
});

it('credentials without an end that cannot be read again fail, and are read again a second later however often they failed', async () => {
  const { provider, fetches, begin, pass } = source();
  await begin();

  pass(999);
  for (const i of [1, 2, 3]) {
    pass(1);
    const failed = provider.get();
    fetches[i]!.fail();
    await expect(failed).rejects.toThrow('refused');
    pass(999);
    await expect(provider.get()).rejects.toThrow('refused');
  }
  pass(1);
  const again = provider.get();
  fetches[4]!.succeed('second');

  expect(await again).toEqual(set('second'));
});

it('credentials without an end that the service refuses are read again, and fail if that fails', async () => {
  const { provider, fetches, begin, pass } = source();
  await begin();

  const unread = provider.renew(set('first'));
  fetches[1]!.fail();
  expect(await unread).toBe(false);
  await expect(provider.get()).rejects.toThrow('refused');
  pass(1_000);
  const refused = provider.renew(set('first'));
  fetches[2]!.succeed('second');

  expect(await refused).toBe(true);
  expect(await provider.get()).toEqual(set('second'));
});

it('temporary credentials are fetched once for requests at the same time', async () => {
  const { provider, fetches } = source(hourMs);

  const both = Promise.all([provider.get(), provider.get()]);
  fetches[0]!.succeed('first');

  expect(await both).toMatchObject([set('first'), set('first')]);
  expect(fetches).toHaveLength(1);
});

it('temporary credentials are renewed by a use 300 s before their end, which does not wait for it', async () => {
  const { provider, fetches, begin, pass } = source(hourMs);
  await begin();

  pass(hourMs - 300_001);
  await provider.get();
  expect(fetches).toHaveLength(1);
  pass(1);
  expect(await provider.get()).toMatchObject(set('first'));
  fetches[1]!.succeed('second');

  await expect.poll(() => provider.get()).toMatchObject(set('second'));
});

it('temporary credentials are used until their end while no others can be fetched, and never after it', async () => {
  const { provider, fetches, begin, pass } = source(hourMs);
  await begin();

  pass(hourMs - 1);
  expect(await provider.get()).toMatchObject(set('first'));
  fetches[1]!.fail();
  await expect.poll(async () => (await provider.get(), fetches.length)).toBe(2);
  pass(2_000);
  const ended = provider.get();
  fetches[2]!.fail();

  await expect(ended).rejects.toThrow('refused');
});

it('temporary credentials that cannot be renewed are tried again after 1 s, doubled with each failure up to 60 s', async () => {
  const { provider, fetches, begin, pass } = source(hourMs);
  await begin();
  pass(hourMs - 300_000);
  const fetchesAfter = async (ms: number) => {
    pass(ms);
    await provider.get();
    return fetches.length;
  };

  expect(await fetchesAfter(0)).toBe(2);
  for (const [i, pauseMs] of [
    1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
  ].entries()) {
    const failed = i + 2;
    fetches.at(-1)!.fail();
    await nextTurn();
    expect(await fetchesAfter(pauseMs - 1)).toBe(failed);
    expect(await fetchesAfter(1)).toBe(failed + 1);
  }
});

it('temporary credentials share a failure for a second, and are then fetched again', async () => {
  const { provider, fetches, pass } = source(hourMs);
  const failed = provider.get();
  fetches[0]!.fail();
  await expect(failed).rejects.toThrow('refused');

  await expect(provider.get()).rejects.toThrow('refused');
  expect(fetches).toHaveLength(1);
  pass(1_000);
  const again = provider.get();
  fetches[1]!.succeed('second');

  expect(await again).toMatchObject(set('second'));
});

it('temporary credentials that the service refuses are replaced, unless they are fresh', async () => {
  const { provider, fetches, begin, pass } = source(hourMs);
  await begin();

  expect(await provider.renew(set('first'))).toBe(false);
  pass(10_000);
  const refused = provider.renew(set('first'));
  fetches[1]!.succeed('second');

  expect(await refused).toBe(true);
  expect(await provider.get()).toMatchObject(set('second'));
  expect(await provider.renew(set('first'))).toBe(true);
  expect(fetches).toHaveLength(2);
});
