/** What the address of Redis in the configuration means. */
import { expect, test } from 'vitest';
import { connectionOptions } from '../../../src/cluster/connection.ts';

test.each([
  ['redis://valkey', { host: 'valkey', port: 6379, db: 0 }],
  ['redis://valkey/', { host: 'valkey', port: 6379, db: 0 }],
  ['redis://valkey:6380/3', { host: 'valkey', port: 6380, db: 3 }],
  ['redis://valkey/3/', { host: 'valkey', port: 6379, db: 3 }],
  ['redis://[::1]:6380/15', { host: '::1', port: 6380, db: 15 }],
])('%s leads to %j', async (url, address) => {
  const options = await connectionOptions({
    ...{ name: 'a', url, username: null, passwordFile: null, authorityFile: null },
    lockMs: 15_000,
  });

  expect(options).toMatchObject(address);
});
