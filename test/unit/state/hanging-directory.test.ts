import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BoundedCalls } from '../../../src/files/bounded-calls.ts';
import { describe, expect, it } from 'vitest';
import { StoreError, type Store } from '../../../src/state/store.ts';
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

const file = 'production@ap-guangzhou@DescribeAccountQuota.json';
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

    expect(await readdir(directory)).toEqual([file]);
  });

  /** Makes the store look at the directory as if it might be another one. */
  const loseLock = (directory: string) => rm(join(directory, 'lock'));

  it('finds its own record when the lock must be taken again after a save that hung', async () => {
    const { directory, hold, open, release } = await setUp();
    const store = await open();
    hold('rename');
    await expect(store.save(older)).rejects.toMatchObject({ code: 'unwritable' });
    release();
    // Not by loading it, which would tell the store.
    await expect.poll(() => readdir(directory)).toContain(file);
    await loseLock(directory);

    await store.save(newer);

    expect(await stored(store)).toEqual([newer]);
    await store.close();
  });

  it('finds its own record when the lock must be taken again after a save that failed in the end', async () => {
    const { directory, hold, open, release } = await setUp();
    const store = await open();
    await store.save(older);
    hold('rename');
    await expect(store.save(newer)).rejects.toMatchObject({ code: 'unwritable' });
    for (const name of await readdir(directory)) {
      if (name.includes('.tmp-')) await rm(join(directory, name));
    }
    release();
    await loseLock(directory);

    const codes: unknown[] = [];
    const save = () =>
      store.save(newer).catch((error: unknown) => {
        codes.push(error instanceof StoreError ? error.code : error);
        throw error;
      });
    await expect.poll(save).toBeUndefined();

    expect(codes).not.toContain('found');
    await store.close();
  });

  it('leaves the file of a save under way alone while it loads', async () => {
    const { hold, open, release, waiting } = await setUp();
    const store = await open();
    hold('rename');
    const saving = store.save(older);
    await expect.poll(waiting).toBe(1);

    expect(await stored(store)).toEqual([]);

    release();
    await saving;
    expect(await stored(store)).toEqual([older]);
    await store.close();
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
