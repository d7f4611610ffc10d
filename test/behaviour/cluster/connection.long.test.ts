/** The connections of a daemon to Redis. */
import { expect, onTestFinished, test } from 'vitest';
import { RedisConnections } from '../../../src/cluster/connection.ts';
import { silentLogger } from '../../support/loggers.ts';
import { hasRedis, startRedis } from '../../support/redis.ts';

function connect(port: number) {
  const options = { host: '127.0.0.1', port, retryStrategy: () => 20 };
  const connections = new RedisConnections(options, silentLogger, () => undefined);
  onTestFinished(() => {
    connections.close();
  });
  return connections;
}

test.runIf(hasRedis)(
  'a start waits for a Redis that is not up yet, whatever fails first',
  async () => {
    const server = await startRedis();
    await server.kill();
    const connections = connect(server.port);
    let failures = 0;
    connections.redis.on('error', () => (failures += 1));

    const connected = connections.waitUntilReady(60_000);
    await expect.poll(() => failures).toBeGreaterThan(1);
    await server.restart();
    await connected;

    expect(connections.redis.status).toBe('ready');
  },
);

test('a start goes on without Redis after its time', async () => {
  const connections = connect(1);

  await connections.waitUntilReady(50);

  expect(connections.redis.status).not.toBe('ready');
});

test('the console writes to the log while a cluster runs, and is restored after it', () => {
  const { error, warn } = console;
  const connections = connect(1);
  expect(console.warn).not.toBe(warn);

  connections.close();

  expect([console.error, console.warn]).toEqual([error, warn]);
});
