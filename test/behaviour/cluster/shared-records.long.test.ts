/** What a daemon reads of the others, with a real Redis. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisConnections } from '../../../src/cluster/connection.ts';
import { accountKeys } from '../../../src/cluster/keys.ts';
import { SharedRecords } from '../../../src/cluster/shared-records.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { createManualClock } from '../../../src/emulator/emulator.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import { targetKey } from '../../../src/model/target.ts';
import type { StoreError } from '../../../src/storage/store-error.ts';
import { silentLogger } from '../../support/loggers.ts';
import { quotaRecord } from '../../support/records.ts';
import { BegunStore, SavingStore } from '../../support/redis-stores.ts';
import { hasRedis, redisOfFile } from '../../support/redis.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

describe.runIf(hasRedis)('Redis', () => {
  const redis = redisOfFile();

  const connectTo = async (
    port: number,
    onFatal: (error: StoreError) => void = () => undefined,
  ) => {
    const connections = new RedisConnections({ host: '127.0.0.1', port }, silentLogger, onFatal);
    onTestFinished(() => {
      connections.close();
    });
    await once(connections.redis, 'ready');
    return connections;
  };

  /** Records of accounts that another daemon has written, and a daemon that reads them. */
  const arrange = async (count: number, port: number) => {
    const accounts = Array.from({ length: count }, (_, i) => `account-${i}`);
    const config = { name: redis().newCluster(), lockMs: 1_000 };
    const writer = new BegunStore({ redis: redis().connect(), config, collectors });
    await Promise.all(accounts.map((each) => writer.save(quotaRecord('ap-x', 1, each))));
    const published = new PublishedRecords();
    const fatal: StoreError[] = [];
    const clock = createManualClock();
    const connections = await connectTo(port, (error) => fatal.push(error));
    const reader = new SharedRecords({
      store: new SavingStore({ redis: connections.redis, config, collectors }),
      collectors,
      published,
      clock,
      logger: silentLogger,
      connections,
      onRead: () => undefined,
    });
    reader.setAccounts(new Set(accounts));
    await reader.refresh();
    return { clock, config, fatal, published, reader, writer };
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

    const { published } = await arrange(700, (server.address() as AddressInfo).port);

    expect(published.areCountersHidden).toBe(false);
    expect(published.gone()).toHaveLength(700);
  });

  it('shared records of an idle cluster cost Redis the same, however many accounts there are', async () => {
    const { reader } = await arrange(300, redis().port);
    const control = redis().connect();
    const commands = async () =>
      Number(/total_commands_processed:(\d+)/.exec(await control.info('stats'))?.[1]);
    const before = await commands();
    expect(before).toBeGreaterThan(0);

    for (let i = 0; i < 10; i += 1) await reader.refresh();

    expect((await commands()) - before).toBeLessThan(10 * 10);
  });

  it('shared records of a target that is gone are forgotten 30 days after they were written', async () => {
    const dayMs = 24 * 60 * 60 * 1_000;
    const { clock, published, reader } = await arrange(1, redis().port);
    const key = targetKey(published.gone()[0]!.target);

    clock.advance(29 * dayMs);
    expect(reader.forgetGone('account-0')).toEqual([]);
    expect(published.gone()).toHaveLength(1);
    clock.advance(2 * dayMs);
    expect(reader.forgetGone('account-0')).toEqual([key]);

    expect(published.gone()).toEqual([]);
  });

  it('shared records of which a newer version of the program writes one end the daemon, once', async () => {
    const { config, fatal, reader, writer } = await arrange(2, redis().port);
    const control = redis().connect();
    expect(fatal).toEqual([]);

    for (const account of ['account-0', 'account-1']) {
      const record = quotaRecord('ap-x', 2, account);
      const { records } = accountKeys(config.name, account);
      const key = targetKey(record.target);
      await writer.save(record);
      const text = (await control.hget(records, key)) ?? '';
      await control.hset(records, key, text.replace('"version":1', '"version":2'));
    }
    for (let i = 0; i < 2; i += 1) await reader.refresh();

    expect(fatal).toMatchObject([{ name: 'StoreError', code: 'newer-form' }]);
    expect(reader.status.damaged).toBe(0);
  });

  it('a connection to Redis is not lost to the silence of the one before', async () => {
    const network = await startTcpProxy(redis().port);
    const { redis: connection } = await connectTo(network.port);
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
    expect(connection.status).toBe('ready');
  });
});
