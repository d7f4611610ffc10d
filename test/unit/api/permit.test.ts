import { setMaxListeners } from 'node:events';
import { expect, it } from 'vitest';
import { ConnectionPools } from '../../../src/api/connections.ts';
import { acquirePermit } from '../../../src/api/permit.ts';
import { RateLimit } from '../../../src/api/rate-limit.ts';
import { turnOf } from '../../helpers/turns.ts';

it('ends the wait of every request that a reload has outdated, and takes no turn for it', async () => {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const bounds = { maxConnections: 1, connectTimeoutMs: 1_000 };
  const route = { proxy: null, secureContext: undefined };
  const pool = new ConnectionPools().poolOf('a', new URL('http://127.0.0.1:9'), route, bounds);
  const limit = new RateLimit(1);
  const first = await turnOf(limit);
  const reload = { isOver: false };
  const isOutdated = () => reload.isOver;
  const permits = Array.from({ length: 10_000 }, () =>
    acquirePermit(limit, pool, { signal, isFirst: false, isOutdated, onTurn: () => undefined }),
  );

  reload.isOver = true;
  limit.configure(2);
  const answers = new Set(await Promise.all(permits));
  first.unanswered();

  expect([...answers]).toEqual([null]);
  expect(limit.isIdle).toBe(true);
});
