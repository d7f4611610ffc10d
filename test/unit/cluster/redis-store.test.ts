import type { Redis } from 'ioredis';
import { describe, expect, it, vi } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { accountKeys } from '../../../src/cluster/keys.ts';
import { targetKey } from '../../../src/model/target.ts';
import { quotaRecord } from '../../support/records.ts';
import { hasRedis, redisOfFile, startRedis } from '../../support/redis.ts';
import { account, BegunStore, redisStore, type SavingStore } from '../../support/redis-stores.ts';
import { describeStoreContract } from '../../support/store-contract.ts';

const region = 'ap-guangzhou';
const record = (limit: number) => quotaRecord(region, limit);
const key = targetKey(record(1).target);
const fenced = { name: 'StoreError', code: 'fenced' };
const nothing = { id: '', revision: 0 };
const dayMs = 24 * 60 * 60 * 1_000;

async function stored(store: SavingStore) {
  const { records } = await store.load();
  return records.filter(({ target }) => targetKey(target) === key);
}

/** What a store reads that knows this much of the account. */
async function changed(store: SavingStore, known = nothing) {
  const states = await store.changed(new Map([[account, known]]));
  return states.get(account)!;
}

describe.runIf(hasRedis)('in Redis', () => {
  const server = redisOfFile();

  describeStoreContract('the store', () =>
    Promise.resolve(
      new BegunStore({
        redis: server().connect(),
        cluster: server().newCluster(),
        collectors,
      }),
    ),
  );

  /** Two daemons of one cluster. */
  function world() {
    const redis = server().connect();
    const cluster = server().newCluster();
    const keys = accountKeys(cluster, account);
    return { redis, cluster, keys, a: redisStore(redis, cluster), b: redisStore(redis, cluster) };
  }

  describe('a daemon', () => {
    it('writes nothing without a cycle', async () => {
      const { a } = world();

      await expect(a.save(record(1))).rejects.toMatchObject(fenced);

      expect(await stored(a)).toEqual([]);
    });

    it('writes nothing after another one has begun the cycle', async () => {
      const { a, b, redis, keys } = world();
      await a.begin(account, 'a', 0);
      await a.save(record(1));
      const revision = await redis.zscore(keys.revisions, key);
      await b.begin(account, 'b', 0);

      await expect(a.save(record(2))).rejects.toMatchObject(fenced);

      expect(await stored(b)).toEqual([record(1)]);
      expect(await redis.zscore(keys.revisions, key)).toBe(revision);
    });

    it('writes nothing after its cycle', async () => {
      const { a } = world();
      await a.begin(account, 'a', 0);
      await a.end(account, true);

      await expect(a.save(record(1))).rejects.toMatchObject(fenced);
    });

    it('cannot end or extend the cycle of another one', async () => {
      const { a, b } = world();
      await a.begin(account, 'a', 1_000);
      await b.begin(account, 'b', 1_000);

      await a.extend(account, 5_000);
      await a.end(account, true);

      expect(await changed(b)).toMatchObject({ member: 'b', isRunning: true, dueMs: 1_000 });
      expect(await b.begin(account, 'b', 1_000)).not.toBeNull();
    });

    it('does not replace a record of another one that it has not read', async () => {
      const { a, b } = world();
      await a.begin(account, 'a', 0);
      await a.save(record(1));
      await b.begin(account, 'b', 0);

      const saving = b.save(record(2));

      await expect(saving).rejects.toThrow('found');
      expect(await stored(a)).toEqual([record(1)]);
      await b.save(record(2));
      expect(await stored(a)).toEqual([record(2)]);
    });

    it('repeats a write whose answer was lost', async () => {
      const { a, redis, keys } = world();
      await a.begin(account, 'a', 0);
      await a.save(record(1));
      const evalsha = redis.evalsha.bind(redis);
      vi.spyOn(redis, 'evalsha').mockImplementationOnce(async (...args) => {
        await evalsha(...args);
        throw new Error('Connection is closed.');
      });
      await expect(a.save(record(2))).rejects.toThrow('Connection is closed.');

      const revision = await redis.hget(keys.cycle, 'revision');
      await a.save(record(2));

      expect(await redis.hget(keys.cycle, 'revision')).toBe(revision);
      await a.save(record(3));
      expect(Number(await redis.hget(keys.cycle, 'revision'))).toBeGreaterThan(Number(revision));
    });

    it('does not take the record of another one for its own lost write', async () => {
      const { a, b, redis } = world();
      await a.begin(account, 'a', 0);
      await a.save(record(1));
      const { calls } = vi.spyOn(redis, 'evalsha').mockRejectedValueOnce(new Error('lost')).mock;
      await expect(a.save(record(2))).rejects.toThrow('lost');
      expect(calls).toHaveLength(1);
      await b.begin(account, 'b', 0);
      await changed(b);
      await b.save(record(7));
      await a.begin(account, 'a', 0);

      await expect(a.save(record(2))).rejects.toThrow('found');
    });
  });

  describe('a cycle', () => {
    it('raises the epoch each time that it begins', async () => {
      const { a, b } = world();

      const epochs = [
        await a.begin(account, 'a', 1_000),
        await b.begin(account, 'b', 1_000),
        await a.begin(account, 'a', 1_000),
      ].map((begun) => begun?.epoch ?? 0);

      expect(epochs).toEqual([...new Set(epochs)].toSorted((x, y) => x - y));
    });

    it('knows whether the former one has ended, and whose it was', async () => {
      const { a, b } = world();

      const first = await a.begin(account, 'a', 1_000);
      const second = await b.begin(account, 'b', 1_000);
      b.sends(account);
      await b.end(account, true);
      const third = await a.begin(account, 'a', 2_000);

      expect(first).toMatchObject({ formerMember: '', isTakenOver: false, finishedDueMs: null });
      expect(second).toMatchObject({ formerMember: 'a', isTakenOver: true, idleMs: 0 });
      expect(third).toMatchObject({ formerMember: 'b', isTakenOver: false, finishedDueMs: 1_000 });
      expect(third?.idleMs).toBeGreaterThanOrEqual(0);
    });

    it('counts as running after a daemon that took it over and sent nothing', async () => {
      const { a, b } = world();
      await a.begin(account, 'a', 1_000);
      await b.begin(account, 'b', 1_000);
      await b.end(account, false);

      const next = await b.begin(account, 'b', 1_000);

      expect(next).toMatchObject({ isTakenOver: true, isNext: false, idleMs: 0 });
    });

    it('runs once for a due time, and again when it was not complete', async () => {
      const { a, b } = world();
      await a.begin(account, 'a', 1_000);
      await a.end(account, false);

      expect(await b.begin(account, 'b', 1_000)).not.toBeNull();
      await b.end(account, true);

      expect(await a.begin(account, 'a', 1_000)).toBeNull();
      expect(await a.begin(account, 'a', 999)).toBeNull();
      expect(await a.begin(account, 'a', 1_001)).not.toBeNull();
    });

    it('that served a later due time is finished for that one', async () => {
      const { a, b } = world();
      await a.begin(account, 'a', 1_000);
      await a.extend(account, 2_000);
      await a.end(account, true);

      expect(await b.begin(account, 'b', 2_000)).toBeNull();
    });
  });

  describe('what changed', () => {
    it('is read of all accounts in one round trip', async () => {
      const { a, redis } = world();
      const accounts = Array.from({ length: 50 }, (_, i) => `account-${i}`);
      const known = new Map(accounts.map((name) => [name, nothing]));
      // The first time, Redis does not know the script.
      await a.changed(known);
      const write = vi.spyOn(redis.stream, 'write');

      await a.changed(known);

      expect(write).toHaveBeenCalledTimes(1);
    });

    it('is only what is newer than the known revision', async () => {
      const { a, b } = world();
      await a.begin(account, 'a', 0);
      await a.save(record(1));
      await a.save(quotaRecord('ap-shanghai'));
      const first = await changed(b);
      await a.save(record(2));

      const second = await changed(b, first);
      const third = await changed(b, second);

      expect(first.changed).toHaveLength(2);
      expect(second.changed).toEqual([{ key, revision: second.revision, record: record(2) }]);
      expect(second.revision).toBeGreaterThan(first.revision);
      expect(third).toEqual({ ...second, changed: [] });
    });

    it('is everything after Redis lost the last writes', async () => {
      const { a, b } = world();
      await a.begin(account, 'a', 0);
      await a.save(record(1));
      const { id, revision } = await changed(b);

      const state = await changed(b, { id, revision: revision + 1 });

      expect(state.changed).toEqual([{ key, revision, record: record(1) }]);
    });

    it('is everything after Redis was emptied', async () => {
      const { a, b, redis, keys } = world();
      await a.begin(account, 'a', 0);
      for (const limit of [1, 2, 3]) await a.save(record(limit));
      const before = await changed(b);
      await redis.del(keys.cycle, keys.records, keys.revisions, keys.written);
      const empty = await changed(b, before);
      await a.begin(account, 'a', 0);
      await changed(a, empty);

      await a.save(record(4));

      const after = await changed(b, empty);
      expect(before.id).not.toBe('');
      expect(empty).toMatchObject({ id: '', revision: 0, changed: [] });
      expect(after.id).not.toBe(before.id);
      expect(after.changed).toEqual([{ key, revision: after.revision, record: record(4) }]);
      expect(after.revision).toBeGreaterThan(before.revision);
    });

    it('does not let a daemon write that began its cycle before Redis was emptied', async () => {
      const { a, b, redis, keys } = world();
      await a.begin(account, 'a', 0);
      await redis.del(keys.cycle, keys.records, keys.revisions, keys.written);
      await b.begin(account, 'b', 0);

      await expect(a.save(record(1))).rejects.toMatchObject(fenced);
    });
  });

  describe('a record', () => {
    it('is stored when Redis is killed after its save', async () => {
      const own = await startRedis();
      const redis = own.connect();
      const a = redisStore(redis, 'cluster');
      await a.begin(account, 'a', 0);
      await a.save(record(1));

      await own.kill();
      await own.restart();

      await expect.poll(() => stored(a)).toEqual([record(1)]);
      await a.save(record(2));
      expect(await stored(a)).toEqual([record(2)]);
    });
  });

  describe('a text that holds no record', () => {
    it.each([
      ['is no JSON', '{"version":1,'],
      ['is empty', ''],
      ['is the record of another target', '{"other":true}'],
    ])('because it %s is reported, kept apart, and replaced by the next save', async (_, text) => {
      const { a, b, redis, keys } = world();
      await a.begin(account, 'a', 0);
      await a.save(record(1));
      await redis.hset(keys.records, key, text);

      const report = await b.load();

      expect(report).toMatchObject({ records: [], damaged: [{ file: key }] });
      await expect.poll(() => redis.hget(keys.damaged, key)).toBe(text);
      await b.begin(account, 'b', 0);
      await b.save(record(2));
      expect(await stored(a)).toEqual([record(2)]);
    });
  });

  describe('the record of a target that is gone', () => {
    async function writtenDaysAgo(days: number, redis: Redis, written: string) {
      await redis.zadd(written, Date.now() - days * dayMs, key);
    }

    it('is removed 30 days after it was written', async () => {
      const { a, redis, keys } = world();
      await a.begin(account, 'a', 0);
      await a.save(record(1));
      await a.save(quotaRecord('ap-shanghai'));
      await writtenDaysAgo(29, redis, keys.written);
      expect(await a.removeGone(() => false)).toEqual([]);
      await writtenDaysAgo(31, redis, keys.written);

      const removed = await a.removeGone(() => false);

      expect(removed).toEqual([key]);
      expect(await stored(a)).toEqual([]);
      for (const name of [keys.revisions, keys.written]) {
        expect(await redis.zrange(name, 0, -1)).toEqual([
          targetKey(quotaRecord('ap-shanghai').target),
        ]);
      }
    });

    it('stays while it is live, or when it is written meanwhile', async () => {
      const { a, redis, keys } = world();
      await a.begin(account, 'a', 0);
      await a.save(record(1));
      await writtenDaysAgo(31, redis, keys.written);

      expect(await a.removeGone(() => true)).toEqual([]);
      const saving: Promise<void>[] = [];
      const removed = await a.removeGone(() => {
        saving.push(a.save(record(2)));
        return false;
      });

      await Promise.all(saving);
      expect(removed).toEqual([]);
      expect(await stored(a)).toEqual([record(2)]);
    });

    it('is found in every account of the cluster, and in no other cluster', async () => {
      const { a, redis, cluster } = world();
      const other = redisStore(redis, server().newCluster());
      for (const store of [a, other]) {
        for (const name of ['one', 'two']) {
          const { target, ...rest } = record(1);
          await store.begin(name, 'a', 0);
          await store.save({ ...rest, target: { ...target, account: name } });
        }
      }
      for (const name of await redis.keys('*:written')) {
        for (const each of await redis.zrange(name, 0, -1)) await redis.zadd(name, 1, each);
      }

      const removed = await a.removeGone(() => false);

      expect(
        removed.filter((each) => each.startsWith('one') || each.startsWith('two')),
      ).toHaveLength(2);
      expect(await redis.zcard(accountKeys(cluster, 'one').written)).toBe(0);
      expect(await other.removeGone(() => false)).toHaveLength(2);
    });
  });
});
