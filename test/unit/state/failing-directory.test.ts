import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FileSystem } from '../../../src/state/file-system.ts';
import { temporaryDirectory } from '../../helpers/directories.ts';
import { failingFileSystem, openStore } from '../../helpers/file-stores.ts';
import { quotaRecord, targetsOf } from '../../helpers/records.ts';
import { asNobody, canBeNobody } from '../../helpers/users.ts';

const record = quotaRecord('ap-guangzhou');
const file = 'production@ap-guangzhou@DescribeAccountQuota.json';
const otherFile = 'production@ap-shanghai@DescribeAccountQuota.json';

const { target } = record;

/** A directory that holds the record, and that no store has open. */
async function storedRecord() {
  const directory = await temporaryDirectory();
  const store = await openStore(directory);
  await store.save(record);
  await store.close();
  return { directory };
}

/** Mounts a small file system; `false` where this machine does not let us. */
function mountSmall(directory: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

/** A mounted file system of 64 KiB that ends with the test. */
async function smallVolume(): Promise<string> {
  const directory = await temporaryDirectory();
  if (!mountSmall(directory)) throw new Error('cannot mount');
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', directory]);
  });
  return directory;
}

async function canMount(): Promise<boolean> {
  const probe = '/tmp/cvm-quota-monitor-mount-probe';
  await mkdir(probe, { recursive: true });
  const isMounted = mountSmall(probe);
  if (isMounted) execFileSync('umount', [probe]);
  else console.warn('skipped: this user may not mount file systems');
  await rm(probe, { recursive: true, force: true });
  return isMounted;
}

describe('a store whose directory fails', () => {
  it.each([
    ['write', 'ENOSPC'],
    ['write', 'EACCES'],
    ['rename', 'EIO'],
    ['syncDirectory', 'EIO'],
  ] as const)(
    'rejects a save when %s fails with %s, and the next one succeeds',
    async (name, code) => {
      const directory = await temporaryDirectory();
      const failures = new Map<keyof FileSystem, string>();
      const store = await openStore(directory, { fileSystem: failingFileSystem(failures) });
      await store.save(quotaRecord('ap-guangzhou', 1));
      failures.set(name, code);

      const failed = store.save(record);

      await expect(failed).rejects.toMatchObject({ code: 'unwritable', cause: { code } });
      await expect(failed).rejects.toThrow(join(directory, file));
      expect((await readdir(directory)).toSorted()).toEqual(['lock', file]);
      failures.clear();
      await store.save(record);
      expect((await store.load(targetsOf(record))).records).toEqual([record]);
      expect((await readdir(directory)).toSorted()).toEqual(['lock', file]);
      await store.close();
    },
  );

  it.each(['ENOSPC', 'EROFS', 'EACCES', 'ENOTDIR', 'EIO'])(
    'opens all the same when it cannot be locked for %s, and works as soon as the directory does',
    async (code) => {
      const directory = await temporaryDirectory();
      const failures = new Map<keyof FileSystem, string>([
        ['makeDirectory', code],
        ['write', code],
      ]);
      const store = await openStore(directory, { fileSystem: failingFileSystem(failures) });

      await expect(store.save(record)).rejects.toMatchObject({ code: 'unwritable' });

      failures.clear();
      await store.save(record);
      expect((await store.load(targetsOf(record))).records).toEqual([record]);
      await store.close();
      expect(await readdir(directory)).toEqual([file]);
    },
  );

  it.each(['list', 'read'] as const)(
    'gives no record up as damaged when %s fails, and loads it when it can',
    async (name) => {
      const { directory } = await storedRecord();
      const failures = new Map<keyof FileSystem, string>([[name, 'EMFILE']]);
      const store = await openStore(directory, { fileSystem: failingFileSystem(failures) });

      const failed = await store.load(targetsOf(record));

      expect(failed).toMatchObject({ records: [], damaged: [], unread: [{ target }] });
      failures.clear();
      expect((await store.load(targetsOf(record))).records).toEqual([record]);
      await store.close();
    },
  );

  it('knows nothing about the targets of a directory that is not there', async () => {
    const parent = await temporaryDirectory();
    const failures = new Map<keyof FileSystem, string>([['makeDirectory', 'EACCES']]);
    const store = await openStore(join(parent, 'data'), {
      fileSystem: failingFileSystem(failures),
    });

    const report = await store.load(targetsOf(record));

    expect(report).toMatchObject({ records: [], damaged: [], unread: [{ target }] });
    await store.close();
  });

  it('writes nothing over a file that it cannot read', async () => {
    const { directory } = await storedRecord();
    const failures = new Map<keyof FileSystem, string>([['read', 'EIO']]);
    const store = await openStore(directory, { fileSystem: failingFileSystem(failures) });

    const save = store.save(quotaRecord('ap-guangzhou', 7));

    await expect(save).rejects.toMatchObject({ code: 'unwritable', cause: { code: 'EIO' } });
    failures.clear();
    expect((await store.load(targetsOf(record))).records).toEqual([record]);
    await store.close();
  });

  it('reports a damaged file that cannot be moved, and leaves it where it is', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, file), 'garbage');
    const failures = new Map<keyof FileSystem, string>([['rename', 'EROFS']]);
    const store = await openStore(directory, { fileSystem: failingFileSystem(failures) });

    const { damaged } = await store.load(targetsOf(record));

    expect(damaged).toMatchObject([{ file, movedTo: null }]);
    expect((await readdir(directory)).toSorted()).toEqual(['lock', file]);
    await store.close();
  });

  it('reads without the lock, and then changes nothing in the directory', async () => {
    const directory = await temporaryDirectory();
    const before = await openStore(directory);
    await before.save(record);
    await before.close();
    const leftover = `${file}.tmp-6f1c0a52-8f57-4b0e-9d2e-2f0f3a1f7c11`;
    await writeFile(join(directory, leftover), 'x');
    await writeFile(join(directory, otherFile), 'x');
    const failures = new Map<keyof FileSystem, string>([['write', 'ENOSPC']]);
    const store = await openStore(directory, { fileSystem: failingFileSystem(failures) });

    const { records, damaged } = await store.load(targetsOf(record, quotaRecord('ap-shanghai')));

    expect(records).toEqual([record]);
    expect(damaged).toMatchObject([{ file: otherFile, movedTo: null }]);
    expect((await readdir(directory)).toSorted()).toEqual([file, leftover, otherFile]);
    await store.close();
  });

  it('rejects a save when the directory was removed, when it cannot be created again', async () => {
    const parent = await temporaryDirectory();
    const directory = join(parent, 'data');
    const store = await openStore(directory);
    await rm(directory, { recursive: true });
    await writeFile(directory, 'in the way');

    await expect(store.save(record)).rejects.toMatchObject({ code: 'unwritable' });

    await store.close();
  });
});

describe('a store without permission', () => {
  it.skipIf(!canBeNobody)('says so with every save and works once it is given', async () => {
    const directory = await temporaryDirectory();
    await chmod(directory, 0o555);

    const store = await asNobody(() => openStore(directory));

    const failed = asNobody(() => store.save(record));

    await expect(failed).rejects.toMatchObject({ cause: { code: 'EACCES' } });
    await expect(failed).rejects.toThrow(/let the user of the daemon write/);
    expect(await asNobody(() => store.load(targetsOf(record)))).toEqual({
      records: [],
      damaged: [],
      unread: [],
    });
    await chmod(directory, 0o777);
    await asNobody(() => store.save(record));
    expect((await store.load(targetsOf(record))).records).toEqual([record]);
    await store.close();
  });
});

describe.runIf(await canMount())('a store on a small volume', () => {
  it('rejects saves while the disk is full, keeps what it has, and goes on when there is room', async () => {
    const directory = await smallVolume();
    const store = await openStore(directory);
    await store.save(quotaRecord('ap-guangzhou', 1));
    const ballast = join(directory, 'ballast');
    await writeFile(ballast, Buffer.alloc(60_000)).catch(() => undefined);
    await writeFile(`${ballast}2`, Buffer.alloc(8_000)).catch(() => undefined);

    const failed = store.save(record);

    await expect(failed).rejects.toMatchObject({ cause: { code: 'ENOSPC' } });
    await expect(failed).rejects.toThrow(/free some space/);
    expect((await store.load(targetsOf(record))).records).toEqual([quotaRecord('ap-guangzhou', 1)]);
    await rm(ballast);
    await store.save(record);
    expect((await store.load(targetsOf(record))).records).toEqual([record]);
    await store.close();
  });

  it('opens on a full disk', async () => {
    const directory = await smallVolume();
    await writeFile(join(directory, 'ballast'), Buffer.alloc(80_000)).catch(() => undefined);

    const store = await openStore(directory);

    await expect(store.save(record)).rejects.toMatchObject({ cause: { code: 'ENOSPC' } });
    await store.close();
  });

  it('rejects saves while the volume is read-only, and still reads', async () => {
    const directory = await smallVolume();
    const before = await openStore(directory);
    await before.save(record);
    await before.close();
    execFileSync('mount', ['-o', 'remount,ro', directory]);

    const store = await openStore(directory);

    const failed = store.save(record);
    await expect(failed).rejects.toMatchObject({ cause: { code: 'EROFS' } });
    await expect(failed).rejects.toThrow(/mount the file system writable/);
    expect((await store.load(targetsOf(record))).records).toEqual([record]);
    execFileSync('mount', ['-o', 'remount,rw', directory]);
    await store.save(quotaRecord('ap-guangzhou', 9));
    expect((await store.load(targetsOf(record))).records).toEqual([quotaRecord('ap-guangzhou', 9)]);
    await store.close();
  });
});
