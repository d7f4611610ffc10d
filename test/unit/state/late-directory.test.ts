/** A directory that turns out to be another one while it is in use. */
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from '../../../src/model/target.ts';
import type { FileStoreOptions } from '../../../src/state/file-store.ts';
import { hangingFileSystem } from '../../helpers/hanging-file-system.ts';
import { nodeFileSystem, type FileSystem } from '../../../src/state/file-system.ts';
import type { Store } from '../../../src/state/store.ts';
import { describeThisProcess } from '../../../src/state/lock-holder.ts';
import { temporaryDirectory } from '../../helpers/directories.ts';
import { failingFileSystem, foreignProcess, nowMs, openStore } from '../../helpers/file-stores.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import { RecordKeeper } from '../../../src/state/record-keeper.ts';
import { quotaRecord, targetsOf } from '../../helpers/records.ts';
import { silentLogger } from '../../helpers/silent-logger.ts';

const record = quotaRecord('ap-guangzhou');
const volumeRecord = quotaRecord('ap-guangzhou', 9);
const file = 'production@ap-guangzhou@DescribeAccountQuota.json';

/** A path where nothing is mounted yet, and a volume with a record that takes its place. */
async function volumeAside() {
  const directory = join(await temporaryDirectory(), 'data');
  const store = await openStore(directory);
  await store.save(volumeRecord);
  await store.close();
  await rename(directory, `${directory}.volume`);
  const mount = async () => {
    await rename(directory, `${directory}.under`).catch(() => undefined);
    await rename(`${directory}.volume`, directory);
  };
  return { directory, mount };
}

/** A store whose volume was mounted late, and found by a save. */
async function volumeFound() {
  const { directory, mount } = await volumeAside();
  const store = await openStore(directory);
  await store.save(record);
  await mount();
  await expect(store.save(record)).rejects.toMatchObject({ code: 'found' });
  return { directory, store };
}

describe('a volume that is mounted late', () => {
  it('is read before anything is written over it', async () => {
    const { directory, mount } = await volumeAside();
    const store = await openStore(directory);
    await store.load(targetsOf(record));
    await store.save(record);
    await mount();

    const found = store.save(quotaRecord('ap-guangzhou', 2));

    await expect(found).rejects.toMatchObject({
      name: 'FoundRecordError',
      code: 'found',
      found: volumeRecord,
    });
    expect((await store.load(targetsOf(record))).records).toEqual([volumeRecord]);
    await store.close();
  });

  it('is written to once the record was seen', async () => {
    const { store } = await volumeFound();

    await store.save(record);

    expect((await store.load(targetsOf(record))).records).toEqual([record]);
    await store.close();
  });

  it('is reported once, also when the lock has to be taken again before the next save', async () => {
    const { directory, store } = await volumeFound();
    await rm(join(directory, 'lock'));

    await store.save(record);

    expect((await store.load(targetsOf(record))).records).toEqual([record]);
    expect(store.generation).toBe(3);
    await store.close();
  });

  it('is locked: another daemon that has it is not disturbed', async () => {
    const { directory, mount } = await volumeAside();
    const lost: unknown[] = [];
    const store = await openStore(directory, { onLockLost: (error) => lost.push(error) });
    await store.save(record);
    await writeFile(
      join(`${directory}.volume`, 'lock'),
      JSON.stringify(await describeThisProcess(nowMs)),
    );
    await mount();

    await expect(store.save(record)).rejects.toMatchObject({ code: 'locked' });

    expect(lost).toHaveLength(1);
    await store.close();
  });
});

describe('a damaged file', () => {
  /** What a daemon says of a store. */
  async function keeperOf(store: Store) {
    const logged: Record<string, unknown>[] = [];
    const keeper = new RecordKeeper({
      store,
      collectors,
      published: new PublishedRecords(),
      logger: {
        ...silentLogger,
        error: (message, fields = {}) => logged.push({ message, ...fields }),
      },
      onLate: () => undefined,
      retry: { minMs: 1_000_000, maxMs: 1_000_000 },
    });
    await keeper.restore(targetsOf(record));
    return { keeper, logged };
  }

  it('of a volume that is mounted late is moved aside, counted and logged, once', async () => {
    const { directory, mount } = await volumeAside();
    await writeFile(join(`${directory}.volume`, file), 'garbage');
    const store = await openStore(directory);
    const { keeper, logged } = await keeperOf(store);
    await mount();

    await keeper.keep(record.target, () => ({ record, changes: [] }));
    await keeper.keep(record.target, () => ({ record, changes: [] }));

    const movedTo = (await readdir(directory)).find((name) => name.includes('.damaged-'));
    expect(movedTo).toBeDefined();
    expect(keeper.damagedFiles).toBe(1);
    expect(logged).toMatchObject([{ message: 'damaged record', file, moved_to: movedTo }]);
    expect((await store.load(targetsOf(record))).records).toEqual([record]);
    await store.close();
  });

  it('of a volume that is mounted late is reported once by the store', async () => {
    const { directory, mount } = await volumeAside();
    await writeFile(join(`${directory}.volume`, file), 'garbage');
    const store = await openStore(directory);
    await store.save(record);
    await mount();

    await expect(store.save(record)).rejects.toMatchObject({
      name: 'FoundDamageError',
      code: 'found',
      found: { file },
    });
    await store.save(record);
    await store.close();
  });

  it('that was read before the directory could be locked is counted once', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, file), 'garbage');
    const failures = new Map<keyof FileSystem, string>([['write', 'ENOSPC']]);
    const store = await openStore(directory, { fileSystem: failingFileSystem(failures) });
    const { keeper, logged } = await keeperOf(store);
    failures.clear();

    await keeper.keep(record.target, () => ({ record, changes: [] }));

    expect(keeper.damagedFiles).toBe(1);
    expect(logged.map(({ moved_to }) => moved_to)).toEqual([
      null,
      expect.stringContaining('.damaged-'),
    ]);
    await store.close();
  });
});

it('a directory that was emptied is written to again', async () => {
  const directory = join(await temporaryDirectory(), 'data');
  const store = await openStore(directory);
  await store.save(record);
  await rm(directory, { recursive: true });
  await mkdir(directory);

  await store.save(record);

  expect((await readdir(directory)).toSorted()).toEqual(['lock', file]);
  await store.close();
});

it('a directory that is replaced during each attempt is given up after three', async () => {
  const directory = await temporaryDirectory();
  let attempts = 0;
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    write: async (path, text) => {
      await nodeFileSystem.write(path, text);
      if (!path.includes(file)) return;
      attempts += 1;
      if (attempts < 6) await rm(join(directory, 'lock'));
    },
  };
  const store = await openStore(directory, { fileSystem });

  await expect(store.save(record)).rejects.toMatchObject({ code: 'unwritable' });

  expect(attempts).toBe(3);
  await store.close();
});

it('a holder that was suspended between writing and renaming overwrites nothing', async () => {
  const directory = await temporaryDirectory();
  const other = JSON.stringify(await foreignProcess());
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    write: async (path, text) => {
      await nodeFileSystem.write(path, text);
      if (!path.includes(file)) return;
      await writeFile(join(directory, 'lock'), other);
      await writeFile(join(directory, file), 'of another daemon');
    },
  };
  const store = await openStore(directory, { fileSystem, onLockLost: () => undefined });

  await expect(store.save(record)).rejects.toMatchObject({ code: 'locked' });

  expect(await readFile(join(directory, file), 'utf8')).toBe('of another daemon');
  expect(await readFile(join(directory, 'lock'), 'utf8')).toBe(other);
  await store.close();
});

describe('the records of targets that are gone', () => {
  const days = (count: number) => new Date(nowMs - count * 24 * 60 * 60 * 1_000);
  const gone = quotaRecord('ap-shanghai');
  const goneFile = 'production@ap-shanghai@DescribeAccountQuota.json';

  const isLive = ({ region }: Target) => region === record.target.region;

  /** Two records and a stranger, of that age. */
  async function aged(ageDays: number, options: Partial<FileStoreOptions> = {}) {
    const directory = await temporaryDirectory();
    const store = await openStore(directory, options);
    await store.save(record);
    await store.save(gone);
    const stranger = 'notes.json';
    await writeFile(join(directory, stranger), '{}');
    for (const name of [file, goneFile, stranger]) {
      await utimes(join(directory, name), days(ageDays), days(ageDays));
    }
    return { directory, store };
  }

  it('are removed after 30 days, and nothing else is', async () => {
    const { directory, store } = await aged(30);

    const removed = await store.removeGone(isLive);

    expect(removed).toEqual([goneFile]);
    expect((await readdir(directory)).toSorted()).toEqual(['lock', 'notes.json', file]);
    await store.close();
  });

  it('are kept for 30 days', async () => {
    const { store } = await aged(29);

    expect(await store.removeGone(isLive)).toEqual([]);

    await store.close();
  });

  it.each(['list', 'read', 'remove'] as const)(
    'are kept while %s fails, and removed later',
    async (call) => {
      const failures = new Map<keyof FileSystem, string>();
      const { store } = await aged(31, { fileSystem: failingFileSystem(failures) });

      failures.set(call, 'EIO');
      expect(await store.removeGone(isLive)).toEqual([]);
      failures.clear();
      expect(await store.removeGone(isLive)).toEqual([goneFile]);

      await store.close();
    },
  );

  it('are kept when a reload adds their target while files are looked at', async () => {
    const live = new Set([record.target.region]);
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      modifiedAtMs: (path) => {
        live.add(gone.target.region);
        return nodeFileSystem.modifiedAtMs(path);
      },
    };
    const { store } = await aged(31, { fileSystem });

    const removed = await store.removeGone(({ region }) => live.has(region));

    expect(removed).toEqual([]);
    await store.close();
  });

  it('are not loaded while they are removed, and the store waits for that before it closes', async () => {
    const { fileSystem, hold, release, waiting } = hangingFileSystem();
    const { directory, store } = await aged(31, { fileSystem });
    hold('remove');
    const removing = store.removeGone(isLive);
    await expect.poll(waiting).toBe(1);

    const loading = store.load(targetsOf(gone));
    const closing = store.close();
    await delay(50);

    expect(waiting()).toBe(1);
    release();
    expect(await removing).toEqual([goneFile]);
    expect((await loading).records).toEqual([]);
    await closing;
    expect((await readdir(directory)).toSorted()).toEqual(['notes.json', file]);
  });

  it('are left alone once the store closes', async () => {
    const looks = hangingFileSystem();
    const writes = hangingFileSystem();
    const fileSystem: FileSystem = {
      ...writes.fileSystem,
      modifiedAtMs: (path) => looks.fileSystem.modifiedAtMs(path),
    };
    const { directory, store } = await aged(31, { fileSystem });
    looks.hold('modifiedAtMs');
    writes.hold('write');
    const removing = store.removeGone(isLive);
    const saving = store.save(record);
    await expect.poll(() => looks.waiting() + writes.waiting()).toBe(2);

    const closing = store.close();
    looks.release();

    expect(await removing).toEqual([]);
    writes.release();
    await Promise.all([saving, closing]);
    expect(await readdir(directory)).toContain(goneFile);
  });

  it('are kept while another daemon may have the directory', async () => {
    const { directory, store } = await aged(31);
    await store.close();
    const unlocked = await openStore(directory, {
      fileSystem: { ...nodeFileSystem, write: () => Promise.reject(new Error('full')) },
    });

    expect(await unlocked.removeGone(isLive)).toEqual([]);

    await unlocked.close();
  });
});
