import { expect, test } from 'vitest';
import type { RedisConnections } from '../../../src/cluster/connection.ts';
import { Lease } from '../../../src/cluster/lease.ts';
import { noCycleYet, type RedisStore } from '../../../src/cluster/redis-store.ts';
import { SharedRecords } from '../../../src/cluster/shared-records.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { changeOf } from '../../../src/model/change.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import { targetKey, type Target } from '../../../src/model/target.ts';
import { silentLogger } from '../../support/loggers.ts';
import { quotaRecord } from '../../support/records.ts';

const record = quotaRecord('ap-x');
const { account } = record.target;
const selection = { quotaTypes: ['image'], zones: null };
const wider: Target = { ...record.target, selection } as Target;

/** Records that this daemon has the lease of, over a store with these functions. */
async function recordsOver(given: object) {
  const published = new PublishedRecords();
  const watch = (target: Target) => {
    published.setTargets([target], (each) => collectors.of(each));
  };
  published.publish(record);
  watch(record.target);
  const store = {
    readChanges: () => Promise.resolve({ id: '', revisions: new Map() }),
    readAccount: () => Promise.reject(new Error('not read')),
    ...given,
  } as unknown as RedisStore;
  const records = new SharedRecords({
    store,
    collectors,
    published,
    clock: { now: () => 0 },
    logger: silentLogger,
    connections: { reportFailure: () => undefined } as unknown as RedisConnections,
    onRead: () => undefined,
  });
  records.setAccounts(new Set([account]));
  await records.refresh();
  const lease = new Lease(1_000, '');
  lease.epoch = 1;
  records.leases.set(account, lease);
  return { published, records, watch };
}

test.each([
  ['is written', () => 5],
  ['cannot be written', () => Promise.reject(new Error('down'))],
])(
  'a record that %s during a reload is published with the target of the reload',
  async (_what, written) => {
    const { published, records, watch } = await recordsOver({
      replace: () => {
        watch(wider);
        return Promise.resolve(written());
      },
    });

    const update = await records.update(record.target, (before) => ({
      record: { ...before },
      changes: [],
    }));

    expect(update?.record.target).toEqual(wider);
    expect(published.all()[0]?.target).toEqual(wider);
    expect(published.all()[0]?.observed.snapshot?.quotas).toEqual([]);
  },
);

test('a record that is written while a newer one is read reports its changes, and the newer one stays published', async () => {
  const key = targetKey(record.target);
  const newer = quotaRecord('ap-x', 300);
  let isWritten = false;
  const { published, records } = await recordsOver({
    readAccount: () =>
      Promise.resolve({ revisions: new Map(isWritten ? [[key, 9]] : []), state: noCycleYet }),
    async *readRecords() {
      if (isWritten) yield await Promise.resolve({ key, record: newer, revision: 9 });
    },
    replace: async () => {
      isWritten = true;
      await records.read(account);
      return 5;
    },
  });
  const shown = published.get(key);
  const change = changeOf(record.target, 0, { kind: 'quota-limit-raised', from: '1', to: '2' });
  const next = { record: { ...record }, changes: [change] };

  const update = await records.update(record.target, () => next);

  expect(update).toEqual({ ...next, before: shown });
  expect(published.get(key)?.observed.snapshot).toEqual(newer.observed.snapshot);
});
