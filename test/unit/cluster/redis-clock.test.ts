import { expect, test } from 'vitest';
import { RedisClock } from '../../../src/cluster/redis-clock.ts';
import { silentLogger } from '../../support/silent-logger.ts';

const redisMs = 1_763_640_000_000;

test.each([
  ['agrees with that of Redis', redisMs + 900, redisMs + 900],
  ['is an hour ahead', redisMs + 3_600_000, redisMs],
  ['is two seconds late', redisMs - 2_000, redisMs],
])('a daemon whose clock %s', (_, ownMs, expectedMs) => {
  const clock = new RedisClock({ now: () => ownMs }, silentLogger);

  clock.told(redisMs);

  expect(clock.now()).toBe(expectedMs);
});

test('knows nothing before Redis has told its time, and follows a clock that is set right', () => {
  let ownMs = redisMs + 3_600_000;
  const clock = new RedisClock({ now: () => ownMs }, silentLogger);
  expect(clock.isKnown).toBe(false);
  clock.told(redisMs);

  ownMs = redisMs + 5_000;
  clock.told(redisMs + 5_000);

  expect(clock.isKnown).toBe(true);
  expect(clock.now()).toBe(ownMs);
});
