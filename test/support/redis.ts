/** Real Redis servers for tests. */
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { hasProgram } from './programs.ts';
import { RedisServer } from './redis-server.ts';

/** Whether tests with Redis can run here. */
export const hasRedis = hasProgram('redis-server', 'redis-server');

/** Starts Redis. It ends with the test. */
export async function startRedis(
  ...settings: Parameters<typeof RedisServer.start>
): Promise<RedisServer> {
  const server = await RedisServer.start(...settings);
  onTestFinished(() => server.remove());
  return server;
}

/** One Redis for all tests of a file. A test has keys of its own: {@link RedisServer.newCluster}. */
export function redisOfFile(): () => RedisServer {
  let server: RedisServer | null = null;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server?.remove());
  return () => {
    if (server === null) throw new Error('Redis is available in tests only');
    return server;
  };
}
