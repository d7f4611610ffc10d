import { readdir } from 'node:fs/promises';
import { BoundedCalls } from '../../../src/files/bounded-calls.ts';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/state/store.ts';
import { temporaryDirectory } from '../../helpers/directories.ts';
import { openStore } from '../../helpers/file-stores.ts';
import { hangingFileSystem } from '../../helpers/hanging-file-system.ts';
import { quotaRecord, targetsOf } from '../../helpers/records.ts';

// Enough for a call that does not hang, on a busy machine too.
const bounds = { timeoutMs: 300, maxCalls: 3 };
const [older, newer] = [quotaRecord('ap-guangzhou', 1), quotaRecord('ap-guangzhou', 2)];

async function setUp() {
  const directory = await temporaryDirectory();
  const disk = hangingFileSystem();
  const open = () =>
    openStore(directory, { fileSystem: disk.fileSystem, calls: new BoundedCalls(bounds) });
  return { ...disk, directory, open };
}

const stored = async (store: Store) => (await store.load(targetsOf(older))).records;

describe('a store whose directory hangs', () => {
  it.each(['touch', 'write', 'rename', 'syncDirectory'] as const)(
    'rejects a save when %s hangs, and the next one succeeds when it does not',
    async (name) => {
      const { hold, open, release } = await setUp();
      const store = await open();
      hold(name);

      await expect(store.save(older)).rejects.toMatchObject({
        code: 'unwritable',
        cause: { code: 'ETIMEDOUT' },
      });

      release();
      await expect.poll(() => store.save(newer)).toBeUndefined();
      expect(await stored(store)).toEqual([newer]);
      await store.close();
    },
  );

  it('begins no save of a record while the one before hangs, so that no older one comes later', async () => {
    const { hold, open, release, waiting } = await setUp();
    const store = await open();
    hold('rename');
    await expect(store.save(older)).rejects.toMatchObject({ code: 'unwritable' });

    await expect(store.save(newer)).rejects.toMatchObject({ cause: { code: 'ETIMEDOUT' } });

    expect(waiting()).toBe(1);
    release();
    await expect.poll(() => stored(store)).toEqual([older]);
    await store.save(newer);
    expect(await stored(store)).toEqual([newer]);
    await store.close();
  });

  it('knows what a hanging save has stored in the end', async () => {
    const { directory, hold, open, release } = await setUp();
    const store = await open();
    hold('rename');
    await expect(store.save(older)).rejects.toMatchObject({ code: 'unwritable' });
    release();
    await expect.poll(() => stored(store)).toEqual([older]);

    await store.save(newer);
    await store.close();

    expect(await readdir(directory)).toEqual(['production@ap-guangzhou@DescribeAccountQuota.json']);
  });

  it('opens, loads nothing for sure, and closes', async () => {
    const { hold, open, release } = await setUp();
    hold('makeDirectory', 'list', 'read', 'touch');
    const store = await open();

    const report = await store.load(targetsOf(older));

    expect(report).toMatchObject({ records: [], damaged: [], unread: [{ target: older.target }] });
    await store.close();
    release();
  });

  it('stores other records while one hangs', async () => {
    const { hold, open, release } = await setUp();
    const store = await open();
    hold('rename');
    const hanging = store.save(older);
    await expect(hanging).rejects.toMatchObject({ code: 'unwritable' });
    hold();

    const other = quotaRecord('ap-shanghai');
    await store.save(other);

    expect((await store.load(targetsOf(other))).records).toEqual([other]);
    release();
    await store.close();
  });
});
