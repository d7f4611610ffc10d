/** A failover to a replica, with real servers behind one address. */
import { createServer, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failFastConnection } from '../../../src/cluster/connection.ts';
import { quotaRecord } from '../../support/records.ts';
import { hasRedis, startRedis } from '../../support/redis.ts';
import { account, redisStore, type SavingStore } from '../../support/redis-stores.ts';

const record = (limit: number) => quotaRecord('ap-guangzhou', limit);

/** An address that leads to one of several servers. */
async function addressOf(firstPort: number) {
  let port = firstPort;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const leadTo = (next: number) => {
    port = next;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  onTestFinished(() => {
    leadTo(0);
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, leadTo };
}

describe.skipIf(!hasRedis)('a failover to a replica', () => {
  const world = async (replicas: number) => {
    const [primary, replica] = [await startRedis(), await startRedis()];
    const control = replica.connect();
    const primaryControl = primary.connect();
    for (const each of [primaryControl, control]) {
      await each.config('SET', 'repl-diskless-sync-delay', '0');
    }
    await control.replicaof('127.0.0.1', primary.port);
    await expect.poll(() => control.info('replication')).toContain('master_link_status:up');
    await expect.poll(() => primaryControl.info('replication')).toContain('state=online');
    const address = await addressOf(primary.port);
    const daemon = async () => {
      const redis = failFastConnection({
        host: '127.0.0.1',
        port: address.port,
        retryStrategy: () => 20,
      });
      redis.on('error', () => undefined);
      onTestFinished(() => {
        redis.disconnect();
      });
      await once(redis, 'ready');
      return redisStore(redis, 'cluster', replicas);
    };
    return {
      a: await daemon(),
      b: await daemon(),
      /** The replica gets no further writes. */
      isolate: async () => {
        const isStored = () => control.exists('cluster:{production}:records');
        if (replicas === 0) await expect.poll(isStored).toBe(1);
        await control.replicaof('NO', 'ONE');
      },
      failOver: async () => {
        await primary.kill();
        address.leadTo(replica.port);
        await primary.restart();
        await primary.connect().replicaof('127.0.0.1', replica.port);
      },
    };
  };
  const shown = async (store: SavingStore) => (await store.load()).records;

  it('loses nothing that a daemon has shown, where a replica must have it first', async () => {
    const { a, b, failOver, isolate } = await world(1);
    await a.beginCycle(account, 'a');
    await a.save(record(1));
    expect(await shown(b)).toEqual([record(1)]);
    await isolate();

    await expect(a.save(record(2))).rejects.toThrow('0 of 1 replicas');
    await expect(shown(b)).rejects.toThrow('0 of 1 replicas');
    await failOver();

    // Each daemon has a connection of its own, which opens again.
    await expect
      .poll(() => Promise.all([shown(a), shown(b)]).catch(() => null))
      .toEqual([[record(1)], [record(1)]]);
    await a.save(record(2));
    expect(await shown(b)).toEqual([record(2)]);
  });

  it('can lose what was shown, where no replica must have it', async () => {
    const { a, b, failOver, isolate } = await world(0);
    await a.beginCycle(account, 'a');
    await a.save(record(1));
    await isolate();

    await a.save(record(2));
    expect(await shown(b)).toEqual([record(2)]);
    await failOver();

    await expect.poll(() => shown(b).catch(() => null)).toEqual([record(1)]);
  });

  it('begins no cycle that the replica does not know', async () => {
    const { a, isolate } = await world(1);
    await isolate();

    await expect(a.beginCycle(account, 'a')).rejects.toThrow('0 of 1 replicas');
  });
});
