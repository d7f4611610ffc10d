/** A daemon of a cluster while Redis is away, or cannot be used for everything. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createCluster, startCluster } from '../../support/cluster/cluster-world.ts';
import { hasRedis } from '../../support/redis.ts';

const changes = 'cvm_quota_limit_changes_total';
const patience = { timeout: 60_000, interval: 100 };

describe.runIf(hasRedis)('a daemon of a cluster', () => {
  test('that starts without Redis serves, says why it is not ready, and works when Redis comes', async () => {
    const { members, redis } = await createCluster({ daemons: 1, accounts: 2 });
    const [member] = members;
    await redis.kill();

    await member!.start();

    const { daemon } = member!;
    // It listens before it asks Redis.
    await expect
      .poll(async () => (await daemon.get('/-/ready')).text(), patience)
      .toContain('Redis');
    expect((await daemon.get('/-/ready')).status).toBe(503);
    const samples = await daemon.metrics();
    expect(samples.value('cvm_monitor_cluster_store_up')).toBe(0);
    expect(samples.matching(changes)).toEqual([]);
    await redis.restart();
    await expect.poll(async () => (await daemon.get('/-/ready')).status, patience).toBe(200);
    const shown = async () => (await daemon.metrics()).matching(changes);
    await expect.poll(shown, patience).not.toEqual([]);
  });

  test('hides its counters while Redis is away, and polls and shows them when it is back', async () => {
    const { emulator, members, redis } = await startCluster({ daemons: 2, accounts: 2 });
    const [{ daemon }] = members as [(typeof members)[0]];
    const shown = (await daemon.metrics()).matching(changes).length;
    expect(shown).toBeGreaterThan(0);

    await redis.kill();

    await expect.poll(async () => (await daemon.metrics()).matching(changes).length).toBe(0);
    expect((await daemon.metrics()).matching('cvm_quota_limit')).not.toEqual([]);
    const membersHeard = async () => (await daemon.metrics()).value('cvm_monitor_cluster_members');
    await expect.poll(membersHeard, patience).toBe(0);
    await redis.restart();
    await expect
      .poll(async () => (await daemon.metrics()).matching(changes).length, patience)
      .toBe(shown);
    const { total } = emulator.requests;
    await expect.poll(() => emulator.requests.total, patience).toBeGreaterThan(total);
  });

  test('says that its cycles end while Redis is full, and polls again when it has room', async () => {
    const { emulator, members, redis } = await startCluster({ daemons: 2, accounts: 2 });
    const [{ daemon }] = members as [(typeof members)[0]];
    const shown = (await daemon.metrics()).matching(changes).length;
    const ends = () => daemon.log.filter(({ msg }) => msg === 'the cycles of this daemon end');
    const storeUp = async () => (await daemon.metrics()).value('cvm_monitor_cluster_store_up');

    await redis.connect().config('SET', 'maxmemory', '1');

    await expect.poll(storeUp, patience).toBe(0);
    expect(await (await daemon.get('/-/ready')).text()).toContain('OOM command not allowed');
    // Reading works, so nothing that is shown can be old.
    expect((await daemon.metrics()).matching(changes).length).toBe(shown);
    expect(ends()).toHaveLength(1);
    await redis.connect().config('SET', 'maxmemory', '0');
    await expect.poll(storeUp, patience).toBe(1);
    const { total } = emulator.requests;
    await expect.poll(() => emulator.requests.total, patience).toBeGreaterThan(total);
    expect(ends()).toHaveLength(1);
  });

  test('names what Redis refuses at the start, once, in words of an operator', async () => {
    const { members, redis } = await createCluster({ daemons: 1, accounts: 6 });
    const control = redis.connect();
    await control.config('SET', 'requirepass', 'secret');

    await members[0]!.start();

    const { daemon } = members[0]!;
    const { reason } = await daemon.logged('the cycles of this daemon end');
    expect(reason).toContain('NOAUTH');
    await control.config('SET', 'requirepass', '');
    await daemon.logged('Redis can be used');
    await daemon.ready();
    await redis.kill();
    await daemon.logged('the cycles of this daemon end', (line) => line.reason !== reason);
    await delay(4_000);
    const errors = daemon.log.filter(({ level }) => level === 'error');
    expect(errors).toHaveLength(2);
    expect(daemon.everything()).not.toMatch(/enableOfflineQueue|maxRetriesPerRequest|stack/);
  });

  test('connects to a replica that can only be read at most once a second', async () => {
    const { members, redis } = await startCluster({ daemons: 1, accounts: 2 });
    const control = redis.connect();
    const connections = async () =>
      Number(/total_connections_received:(\d+)/.exec(await control.info('stats'))?.[1]);
    const startMs = performance.now();
    const before = await connections();

    await control.replicaof('127.0.0.1', 1);
    await delay(6_000);

    const seconds = (performance.now() - startMs) / 1_000;
    expect((await connections()) - before).toBeLessThanOrEqual(seconds + 1);
    const lines = members[0]!.daemon.output.split('\n').filter((line) => line !== '');
    expect(lines).toEqual([]);
  });

  test('warns of a Redis that may evict records, in a line of its log', async () => {
    const { members, redis } = await createCluster({ daemons: 1, accounts: 1 });
    await redis.connect().config('SET', 'maxmemory-policy', 'allkeys-lru');

    await members[0]!.start();

    const { daemon } = members[0]!;
    const warnings = () => daemon.log.filter(({ level }) => level === 'warn');
    const warning = expect.objectContaining({ policy: 'allkeys-lru' }) as unknown;
    await expect.poll(warnings).toContainEqual(warning);
    expect(daemon.output).not.toContain('IMPORTANT');
  });
});
