import { expect, test } from 'vitest';
import type { RedisConnections } from '../../../src/cluster/connection.ts';
import { Lease } from '../../../src/cluster/lease.ts';
import type { RedisStore } from '../../../src/cluster/redis-store.ts';
import { SharedRecords } from '../../../src/cluster/shared-records.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import type { Target } from '../../../src/model/target.ts';
import { silentLogger } from '../../support/loggers.ts';
import { quotaRecord } from '../../support/records.ts';

const record = quotaRecord('ap-x');
const { account } = record.target;
const selection = { quotaTypes: ['image'], zones: null };
const wider: Target = { ...record.target, selection } as Target;

test.each([
  ['is written', () => 5],
  ['cannot be written', () => Promise.reject(new Error('down'))],
])(
  'a record that %s during a reload is published with the target of the reload',
  async (_what, written) => {
    const published = new PublishedRecords();
    const watch = (target: Target) => {
      published.setTargets([target], (each) => collectors.of(each));
    };
    published.add([record]);
    watch(record.target);
    const store = {
      readChanges: () => Promise.resolve({ id: '', revisions: new Map() }),
      readAccount: () => Promise.reject(new Error('not read')),
      replace: () => {
        watch(wider);
        return Promise.resolve(written());
      },
    } as unknown as RedisStore;
    const records = new SharedRecords({
      store,
      collectors,
      published,
      clock: { now: () => 0 },
      logger: silentLogger,
      connections: { reportFailure: () => undefined } as unknown as RedisConnections,
      accounts: () => [account],
      onRead: () => undefined,
    });
    await records.load();
    const lease = new Lease(1_000, '');
    lease.epoch = 1;
    records.leases.set(account, lease);

    const update = await records.update(record.target, (before) => ({
      record: { ...before },
      changes: [],
    }));

    expect(update?.record.target).toEqual(wider);
    expect(published.all()[0]?.target).toEqual(wider);
    expect(published.all()[0]?.observed.snapshot?.quotas).toEqual([]);
  },
);
