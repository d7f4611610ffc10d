/** What a daemon reads of the others, with a real Redis. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect as connectToRedis, RedisHealth } from '../../../src/cluster/connection.ts';
import { SharedRecords } from '../../../src/cluster/shared-records.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import type { Config } from '../../../src/config/config.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import { targetKey } from '../../../src/model/target.ts';
import { quotaRecord } from '../../support/records.ts';
import { hasRedis, redisOfFile } from '../../support/redis.ts';
import { redisStore } from '../../support/redis-stores.ts';
import { silentLogger } from '../../support/loggers.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

const record = quotaRecord('ap-guangzhou');
const accountsOf = (count: number) => Array.from({ length: count }, (_, i) => `account-${i}`);

describe.runIf(hasRedis)('Redis', () => {
  const redis = redisOfFile();

  const connectTo = async (port: number) => {
    const { engine, redis: connection } = connectToRedis({ host: '127.0.0.1', port }, silentLogger);
    onTestFinished(() => {
      for (const each of [engine, connection]) each.disconnect();
    });
    await once(connection, 'ready');
    return connection;
  };

  /** Records of accounts that another daemon has written, and a daemon that reads them. */
  const arrange = async (accounts: readonly string[], port: number) => {
    const cluster = redis().newCluster();
    const writer = redisStore(redis().connect(), cluster);
    const records = accounts.map((account) => ({
      ...record,
      target: { ...record.target, account },
    }));
    await Promise.all(
      records.map(async (each) => {
        await writer.beginCycle(each.target.account, 'writer');
        await writer.save(each);
      }),
    );
    const published = new PublishedRecords();
    let nowMs = Date.now();
    const connection = await connectTo(port);
    const health = new RedisHealth(connection, silentLogger);
    const reader = new SharedRecords({
      store: redisStore(connection, cluster),
      collectors,
      published,
      clock: { now: () => nowMs },
      logger: silentLogger,
      health,
      current: () => ({ accounts: accounts.map((name) => ({ name })) }) as unknown as Config,
      onRead: () => undefined,
    });
    await reader.load();
    return { published, reader, letPass: (ms: number) => (nowMs += ms) };
  };

  it('shared records are read over a line that takes longer for all of them than a command may last', async () => {
    const bytesPerSecond = 160_000;
    const server = createServer((client) => {
      const upstream = connect(redis().port, '127.0.0.1');
      client.pipe(upstream);
      upstream.on('data', (bytes: Buffer) => {
        upstream.pause();
        client.write(bytes);
        void delay((1_000 * bytes.length) / bytesPerSecond).then(() => upstream.resume());
      });
      for (const each of [client, upstream]) each.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => {
      server.close();
    });
    await once(server, 'listening');
    const accounts = accountsOf(700);

    const { published } = await arrange(accounts, (server.address() as AddressInfo).port);

    expect(published.areCountersHidden).toBe(false);
    expect(published.gone()).toHaveLength(accounts.length);
  }, 30_000);

  it('shared records of an idle cluster cost Redis the same, however many accounts there are', async () => {
    const { reader } = await arrange(accountsOf(300), redis().port);
    const control = redis().connect();
    const commands = async () =>
      Number(/total_commands_processed:(\d+)/.exec(await control.info('stats'))?.[1]);
    const before = await commands();

    for (let i = 0; i < 10; i += 1) await reader.refresh();

    expect((await commands()) - before).toBeLessThan(10 * 10);
  });

  it('shared records of a target that is gone are forgotten 30 days after they were written', async () => {
    const dayMs = 24 * 60 * 60 * 1_000;
    const { letPass, published, reader } = await arrange(['account-0'], redis().port);
    const key = targetKey(published.gone()[0]!.target);

    letPass(29 * dayMs);
    expect(reader.forgetGone('account-0')).toEqual([]);
    letPass(2 * dayMs);
    expect(reader.forgetGone('account-0')).toEqual([key]);

    expect(published.gone()).toEqual([]);
  });

  it('a connection to Redis is not lost to the silence of the one before', async () => {
    const network = await startTcpProxy(redis().port);
    const connection = await connectTo(network.port);
    let closed = 0;
    connection.on('close', () => {
      closed += 1;
    });
    network.hold();
    void connection.get('key').catch(() => undefined);
    await delay(100);
    network.cut();
    network.heal();
    await once(connection, 'ready');
    closed = 0;

    await delay(7_000);

    expect(closed).toBe(0);
  }, 20_000);
});
