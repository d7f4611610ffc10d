/** Daemons of a cluster while Redis is away, or cannot be used for everything. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createCluster, hasRedis, startCluster, type Cluster } from '../../support/cluster.ts';
import type { Daemon } from '../../support/program.ts';

const changes = 'cvm_quota_limit_changes_total';
const storeUp = 'cvm_monitor_cluster_store_up';

const shownBy = async (daemon: Daemon) => (await daemon.metrics()).matching(changes).length;

/** Resolves when the emulator got more requests than now. */
async function polledAgain({ emulator }: Cluster, more = 1): Promise<void> {
  const before = emulator.requests.total;
  const asked = () => emulator.requests.total;
  await expect.poll(asked, { timeout: 60_000 }).toBeGreaterThanOrEqual(before + more);
}

test.runIf(hasRedis)(
  'a daemon that starts without Redis serves, says why it is not ready, and works when Redis comes',
  async () => {
    const { members, redis } = await createCluster({ daemons: 1, accounts: 2 });
    const { daemon } = members[0]!;
    await redis.kill();

    daemon.spawn();

    // It listens before it asks Redis.
    await expect.poll(() => daemon.text('/-/ready'), { timeout: 60_000 }).toContain('Redis');
    expect((await daemon.get('/-/ready')).status).toBe(503);
    const samples = await daemon.metrics();
    expect(samples.value(storeUp)).toBe(0);
    expect(samples.matching(changes)).toEqual([]);
    await redis.restart();
    await daemon.ready();
    await daemon.metricsWhen((each) => each.matching(changes).length > 0);
  },
);

test.runIf(hasRedis)(
  'a daemon hides its counters while Redis is away, and polls and shows them when it is back',
  async () => {
    const cluster = await startCluster({ daemons: 2, accounts: 2 });
    const { members, redis } = cluster;
    const { daemon } = members[0]!;
    const shown = await shownBy(daemon);
    expect(shown).toBeGreaterThan(0);

    await redis.kill();

    const samples = await daemon.metricsWhen((each) => each.matching(changes).length === 0);
    expect(samples.matching('cvm_quota_limit')).not.toEqual([]);
    await daemon.metricsWhen((each) => each.value('cvm_monitor_cluster_members') === 0);
    const { total } = cluster.emulator.requests;
    await delay(3_000);
    expect(cluster.emulator.requests.total).toBe(total);
    await redis.restart();
    await daemon.metricsWhen((each) => each.matching(changes).length === shown);
    await polledAgain(cluster);
  },
);

test.runIf(hasRedis)(
  'a daemon says that its cycles end while Redis is full, and polls again when it has room',
  async () => {
    const cluster = await startCluster({ daemons: 2, accounts: 2 });
    const { members, redis } = cluster;
    const { daemon } = members[0]!;
    const shown = await shownBy(daemon);
    const ends = () => daemon.log.filter(({ msg }) => msg === 'the cycles of this daemon end');

    await redis.connect().config('SET', 'maxmemory', '1');

    await daemon.metricsWhen((each) => each.value(storeUp) === 0);
    expect(await daemon.text('/-/ready')).toContain('OOM command not allowed');
    // Reading works, so nothing that is shown can be old.
    expect(await shownBy(daemon)).toBe(shown);
    expect(ends()).toHaveLength(1);
    await redis.connect().config('SET', 'maxmemory', '0');
    await daemon.metricsWhen((each) => each.value(storeUp) === 1);
    await polledAgain(cluster);
    expect(ends()).toHaveLength(1);
  },
);

test.runIf(hasRedis)(
  'a daemon names what Redis refuses at the start, once, in words of an operator',
  async () => {
    const { members, redis } = await createCluster({ daemons: 1, accounts: 6 });
    const { daemon } = members[0]!;
    const control = redis.connect();
    await control.config('SET', 'requirepass', 'secret');

    daemon.spawn();

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
  },
);

test.runIf(hasRedis)(
  'a daemon connects to a replica that can only be read at most once a second',
  async () => {
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
    expect(members[0]!.daemon.output).toBe('');
  },
);

test.runIf(hasRedis)(
  'a daemon warns of a Redis that may evict records, in a line of its log',
  async () => {
    const { members, redis } = await createCluster({ daemons: 1, accounts: 1 });
    await redis.connect().config('SET', 'maxmemory-policy', 'allkeys-lru');
    const { daemon } = members[0]!;

    daemon.spawn();

    const warnings = () => daemon.log.filter(({ level }) => level === 'warn');
    const warning = expect.objectContaining({ policy: 'allkeys-lru' }) as unknown;
    await expect.poll(warnings).toContainEqual(warning);
    expect(daemon.output).not.toContain('IMPORTANT');
  },
);

test.runIf(hasRedis)(
  'a daemon polls again after its connections to Redis have died silently',
  async () => {
    const cluster = await startCluster({ daemons: 1, accounts: 2 });
    const { daemon, network } = cluster.members[0]!;

    network.abandon();

    // Requests of the present cycles come to an end first.
    await daemon.metricsWhen((each) => each.value(storeUp) === 0);
    await polledAgain(cluster, 5);
  },
);
