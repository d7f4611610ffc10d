import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { accountKeys } from '../../../src/cluster/keys.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { targetKey } from '../../../src/model/target.ts';
import { polledQuietly, quotaRecord } from '../../support/records.ts';
import { account, BegunStore, redisStore, type SavingStore } from '../../support/redis-stores.ts';
import { hasRedis, redisOfFile } from '../../support/redis.ts';
import { testNewerForm, testStoreContract } from '../../support/store-contract.ts';

const region = 'ap-guangzhou';
const record = (limit: number) => quotaRecord(region, limit);
const key = targetKey(record(1).target);
const dayMs = 24 * 60 * 60 * 1_000;

async function stored(store: SavingStore) {
  const { records } = await store.load();
  return records.filter(({ target }) => targetKey(target) === key);
}

describe.runIf(hasRedis)('Redis', () => {
  const server = redisOfFile();

  testStoreContract('the store in Redis', () =>
    Promise.resolve(
      new BegunStore({
        redis: server().connect(),
        config: { name: server().newCluster(), lockMs: 1_000 },
        collectors,
      }),
    ),
  );

  testNewerForm('the store in Redis', () => {
    const redis = server().connect();
    const config = { name: server().newCluster(), lockMs: 1_000 };
    const { records, revisions } = accountKeys(config.name, account);
    return Promise.resolve({
      open: () => Promise.resolve(new BegunStore({ redis, config, collectors })),
      replaceText: async (of, replace) => {
        await redis.hset(records, of, replace((await redis.hget(records, of)) ?? ''));
      },
      contents: () => Promise.all([redis.hgetall(records), redis.zrange(revisions, 0, -1)]),
    });
  });

  /** Two daemons of one cluster. */
  function twoDaemons() {
    const redis = server().connect();
    const cluster = server().newCluster();
    const keys = accountKeys(cluster, account);
    return { redis, cluster, keys, a: redisStore(redis, cluster), b: redisStore(redis, cluster) };
  }

  it.each<[string, (world: ReturnType<typeof twoDaemons>) => Promise<unknown>]>([
    ['without a cycle', () => Promise.resolve()],
    ['after another one has begun the cycle', ({ b }) => b.beginAs(account, 'b')],
    ['after its cycle', ({ a }) => a.endBegun(account)],
  ])('a daemon writes nothing %s', async (when, happen) => {
    const world = twoDaemons();
    const { a, b, redis, keys } = world;
    const isPolled = when !== 'without a cycle';
    if (isPolled) {
      await a.beginAs(account, 'a');
      await a.save(record(1));
    }
    const revision = await redis.zscore(keys.revisions, key);
    await happen(world);

    await expect(a.save(record(2))).rejects.toThrow('fenced');

    expect(await stored(b)).toEqual(isPolled ? [record(1)] : []);
    expect(await redis.zscore(keys.revisions, key)).toBe(revision);
  });

  it('a daemon cannot end the cycle of another one', async () => {
    const { a, b } = twoDaemons();
    await a.beginAs(account, 'a', 1_000);
    await b.beginAs(account, 'b', 1_000);

    await a.endBegun(account, 1_000);

    const { state } = await b.readAccount(account);
    expect(state).toMatchObject({ member: 'b', isRunning: true, finishedDueMs: null });
    expect(await b.beginAs(account, 'b', 1_000)).toMatchObject({ takenFrom: 'b' });
  });

  it('a daemon does not replace a record of another one that it has not read', async () => {
    const { a, b } = twoDaemons();
    await a.beginAs(account, 'a');
    await a.save(record(1));
    await b.beginAs(account, 'b');

    const saving = b.save(record(2));

    await expect(saving).rejects.toThrow('conflict');
    expect(await stored(a)).toEqual([record(1)]);
    await b.save(record(2));
    expect(await stored(a)).toEqual([record(2)]);
  });

  it('a cycle raises the epoch each time that it begins', async () => {
    const { a, b } = twoDaemons();

    const epochs = [
      await a.beginAs(account, 'a', 1_000),
      await b.beginAs(account, 'b', 1_000),
      await a.beginAs(account, 'a', 1_000),
    ].map((begun) => (typeof begun === 'string' ? 0 : begun.epoch));

    expect(epochs).toEqual([...new Set(epochs)].toSorted((x, y) => x - y));
  });

  it('a cycle tells whose the former one was that has not ended', async () => {
    const { a, b } = twoDaemons();

    const first = await a.beginAs(account, 'a', 1_000);
    const second = await b.beginAs(account, 'b', 1_000);
    await b.endBegun(account, 1_000);
    const third = await a.beginAs(account, 'a', 2_000);

    expect(first).toMatchObject({ takenFrom: '' });
    expect(second).toMatchObject({ takenFrom: 'a' });
    expect(third).toMatchObject({ takenFrom: '' });
  });

  it('a cycle waits for a second after the requests of the one before', async () => {
    const { a, b } = twoDaemons();
    const waitMs = async (store: SavingStore, member: string) => {
      const begun = await store.beginAs(account, member);
      return typeof begun === 'string' ? -1 : begun.waitMs;
    };
    await a.beginAs(account, 'a');

    // One that has not ended may still send.
    expect(await waitMs(b, 'b')).toBeGreaterThan(1_250);
    await b.endBegun(account);
    const endedAtMs = performance.now();
    await delay(500);
    const afterHalf = await waitMs(a, 'a');
    const sinceMs = performance.now() - endedAtMs;
    expect(afterHalf).toBeGreaterThan(1_250 - sinceMs);
    expect(afterHalf).toBeLessThan(1_000);
  });

  it('a cycle runs once for a due time, and again when it was not complete', async () => {
    const { a, b } = twoDaemons();
    await a.beginAs(account, 'a', 1_000);
    await a.endBegun(account);

    expect(await b.beginAs(account, 'b', 1_000)).not.toBe('already-finished');
    await b.endBegun(account, 1_000);

    expect(await a.beginAs(account, 'a', 1_000)).toBe('already-finished');
    expect(await a.beginAs(account, 'a', 999)).toBe('already-finished');
    expect(await a.beginAs(account, 'a', 1_001)).not.toBe('already-finished');
  });

  it('what changed is the accounts whose cycles or records changed', async () => {
    const { a, b } = twoDaemons();
    await a.beginAs('staging', 'a');
    await a.beginAs(account, 'a');
    await a.save(record(1));
    const { revisions } = await b.readChanges(0);
    const since = Math.max(...revisions.values());
    expect([...(await b.readChanges(since)).revisions]).toEqual([[account, since]]);

    await a.save(record(2));
    await a.endBegun('staging');

    expect([...(await b.readChanges(since + 1)).revisions.keys()]).toEqual([account, 'staging']);
  });

  it('a text that holds no record is reported, kept apart, and replaced by the next save', async () => {
    const text = '{"version":1,';
    const { a, b, redis, keys } = twoDaemons();
    await a.beginAs(account, 'a');
    await a.save(record(1));
    await redis.hset(keys.records, key, text);

    expect(await b.load()).toEqual({ records: [], damaged: 1 });
    await expect.poll(() => redis.hget(keys.damaged, key)).toBe(text);
    await b.beginAs(account, 'b');
    await b.save(record(2));
    expect(await stored(a)).toEqual([record(2)]);
  });

  it('a poll that found nothing new replaces only the times of its record, and other daemons read no more', async () => {
    const first = record(1);
    const { a, b, redis, keys } = twoDaemons();
    const lines = async () => (await redis.hget(keys.records, key))!.split('\n');
    await a.beginAs(account, 'a');
    await a.save(first);
    await stored(b);
    const [revision, times, text] = await lines();

    await a.save(polledQuietly(first, 299_999));

    expect(await lines()).toEqual([revision, expect.not.stringMatching(times!), text, '']);
    // A text that is known is not read.
    await redis.hset(keys.records, key, (await lines()).with(2, '{}').join('\n'));
    const { freshness } = polledQuietly(first, 299_999).observed;
    expect(await stored(b)).toEqual([{ ...first, observed: { ...first.observed, freshness } }]);
  });

  it('a poll that found nothing new replaces the text of its record after 5 minutes, with the trend', async () => {
    const first = record(1);
    const { a, b } = twoDaemons();
    await a.beginAs(account, 'a');
    await a.save(first);

    await a.save(polledQuietly(first, 300_000));

    expect(await stored(b)).toEqual([polledQuietly(first, 300_000)]);
  });

  it('daemons that take turns replace the text of a record after 5 minutes', async () => {
    const first = record(1);
    const { a, b } = twoDaemons();
    await a.beginAs(account, 'a');
    await a.save(first);
    await stored(b);
    await a.save(polledQuietly(first, 200_000));
    const [known] = await stored(b);
    await b.beginAs(account, 'b');

    const last = polledQuietly(known!, 200_000);
    await b.save(last);

    expect((await stored(a))[0]?.observed.trend).toEqual(last.observed.trend);
  });

  it('a poll that found nothing new keeps no text that it does not know, and writes its own the next time', async () => {
    const first = record(1);
    const { a, b, redis, keys } = twoDaemons();
    await a.beginAs(account, 'a');
    await a.save(first);
    const [, ...others] = (await redis.hget(keys.records, key))!.split('\n');
    await redis.hset(keys.records, key, ['7', ...others].join('\n'));

    await expect(a.save(polledQuietly(first, 1_000))).rejects.toThrow('conflict');

    await a.save(polledQuietly(first, 1_000));
    expect(await stored(b)).toEqual([polledQuietly(first, 1_000)]);
  });

  it('the end of a cycle removes the records of targets that are gone', async () => {
    const { a } = twoDaemons();
    await a.beginAs(account, 'a');
    await a.save(record(1));
    const other = quotaRecord('ap-shanghai');
    await a.save(other);

    await a.endBegun(account, null, [key]);

    expect((await a.load()).records).toEqual([other]);
  });

  it('the end of a cycle keeps the keys of the account for 400 days', async () => {
    const { a, redis, keys } = twoDaemons();
    await a.beginAs(account, 'a');
    await a.save(record(1));

    await a.endBegun(account);

    for (const each of [keys.cycle, keys.records, keys.revisions]) {
      expect(await redis.pttl(each)).toBeGreaterThan(399 * dayMs);
    }
  });
});
