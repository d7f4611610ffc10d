import { describe, expect, it, vi } from 'vitest';
import type { AccountScripts } from '../../../src/cluster/account-scripts.ts';
import { RedisStore } from '../../../src/cluster/redis-store.ts';
import { RedisHealth } from '../../../src/cluster/redis-health.ts';
import { messageOf } from '../../../src/model/errors.ts';
import { SharedRecords } from '../../../src/cluster/shared-records.ts';
import type { Config } from '../../../src/config/config.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import { memoryScripts, MemoryServer } from '../../support/memory-scripts.ts';
import { quotaRecord } from '../../support/records.ts';
import { silentLogger } from '../../support/silent-logger.ts';
import type { Redis } from 'ioredis';

const region = 'ap-guangzhou';
const record = quotaRecord(region);
const other = { ...record, target: { ...record.target, account: 'staging' } };
const { account } = record.target;

/** Records of two accounts that another daemon has written. */
async function arrange() {
  const scripts = memoryScripts(new MemoryServer(Date.now));
  const changed = vi.fn<AccountScripts['changed']>((known) => scripts.changed(known));
  const published = new PublishedRecords();
  const store = new RedisStore({
    redis: { options: {} } as Redis,
    cluster: 'test',
    collectors,
    scripts: { ...scripts, changed },
  });
  for (const each of [record, other]) {
    await store.begin(each.target.account, 'another', 0);
    await store.replace(each, 0);
  }
  const records = new SharedRecords({
    store,
    collectors,
    published,
    logger: silentLogger,
    health: new RedisHealth('valkey:6379', messageOf, silentLogger),
    current: () => ({ accounts: [{ name: account }, { name: 'staging' }] }) as unknown as Config,
    turnOf: () => null,
    onFenced: () => undefined,
    onRead: () => undefined,
  });
  published.watch([record.target, other.target], (target) => collectors.of(target));
  await records.load();
  changed.mockClear();
  const showsCounters = () => published.all().every((each) => published.showsCounters(each));
  return { changed, records, showsCounters };
}

const asked = ({ mock }: { mock: { calls: [ReadonlyMap<string, unknown>][] } }) =>
  mock.calls.map(([known]) => [...known.keys()]);

describe('shared records', () => {
  it('are read of one account before its cycle, and of all before a scrape', async () => {
    const { changed, records } = await arrange();

    await records.refreshAccount(account);
    await records.refresh();

    expect(asked(changed)).toEqual([[account], [account, 'staging']]);
  });

  it('of several accounts are read in one round trip while another reading runs', async () => {
    const { changed, records } = await arrange();
    const first = records.refreshAccount(account);
    await Promise.resolve();

    await Promise.all([records.refreshAccount('staging'), records.refreshAccount(account), first]);

    expect(asked(changed)).toEqual([[account], [account, 'staging']]);
  });

  it('show counters again only when all accounts were read', async () => {
    const { changed, records, showsCounters } = await arrange();
    expect(showsCounters()).toBe(true);
    changed.mockRejectedValueOnce(new Error('Connection is closed.'));
    await records.refresh();
    expect(showsCounters()).toBe(false);

    await records.refreshAccount(account);
    expect(showsCounters()).toBe(false);

    await records.refresh();
    expect(showsCounters()).toBe(true);
  });
});
