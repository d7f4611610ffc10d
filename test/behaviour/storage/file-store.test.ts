/** The contract of stores, and what only a store in files has to do. The lock is tested with real processes. */
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { openFileStore, type FileStoreOptions } from '../../../src/storage/file-store.ts';
import { formatRecord, recordFileName } from '../../../src/storage/record-file.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { recordingLogger, silentLogger } from '../../support/loggers.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { quotaRecord } from '../../support/records.ts';
import { testClosedStore, testNewerForm, testStoreContract } from '../../support/store-contract.ts';
import { TroubledDisk } from '../../support/troubled-disk.ts';

async function open(directory: string, options: Partial<FileStoreOptions> = {}) {
  return openFileStore({
    storagePath: directory,
    collectors,
    fileCalls: new TroubledDisk(),
    logger: silentLogger,
    signal: new AbortController().signal,
    onFatal: (error) => {
      throw error;
    },
    ...options,
  });
}

for (const [name, openEmpty] of [
  ['a store in files', async () => open(await temporaryDirectory())],
  ['the store in memory of the tests', () => Promise.resolve(createMemoryStore())],
] as const) {
  testStoreContract(name, openEmpty);
  testClosedStore(name, openEmpty);
}

testNewerForm('a store in files', async () => {
  const directory = await temporaryDirectory();
  const namesNow = async () => (await readdir(directory)).filter((each) => each !== 'lock.1');
  return {
    open: () => open(directory),
    replaceText: async (key, replace) => {
      const path = join(directory, `${key}.json`);
      await writeFile(path, replace(await readFile(path, 'utf8')));
    },
    contents: async () => {
      const read = async (each: string) => [each, await readFile(join(directory, each), 'utf8')];
      return Promise.all((await namesNow()).map(read));
    },
  };
});

const record = quotaRecord('ap-guangzhou');
const name = recordFileName(record.target);

test('at a start, a file that holds the record of another target is moved aside and logged, and the others are read', async () => {
  const directory = await temporaryDirectory();
  const [text, other] = [formatRecord(quotaRecord('ap-shanghai')), quotaRecord('ap-beijing')];
  await writeFile(join(directory, name), text);
  await writeFile(join(directory, recordFileName(other.target)), formatRecord(other));
  const { lines, logger } = recordingLogger();
  const store = await open(directory, { logger });

  expect(await store.load()).toEqual({ records: [other], damaged: 1 });

  expect(lines).toMatchObject([{ level: 'error', fields: { file: name } }]);
  expect(await readFile(join(directory, String(lines[0]?.fields.moved_to)), 'utf8')).toBe(text);
  await store.close();
});

test.each<[string, (path: string) => Promise<void>, string]>([
  ['a link to itself', (path) => symlink(path, path), 'ELOOP'],
  ['a link that leads nowhere', (path) => symlink('nothing', path), 'ENOENT'],
  ['a link to a full disk', (path) => symlink('/dev/full', path), 'not a stored record'],
  [
    'a directory',
    async (path) => void (await mkdir(join(path, 'inner'), { recursive: true })),
    'not a stored record',
  ],
])(
  'at a start, %s in place of a record costs this record only: it is moved aside, logged and counted',
  async (_what, place, reason) => {
    const directory = await temporaryDirectory();
    const other = quotaRecord('ap-beijing');
    await writeFile(join(directory, recordFileName(other.target)), formatRecord(other));
    await place(join(directory, name));
    const { lines, logger } = recordingLogger();
    const store = await open(directory, { logger });

    expect(await store.load()).toEqual({ records: [other], damaged: 1 });

    const { file, moved_to: aside, reason: said } = lines[0]!.fields;
    expect([file, said]).toEqual([name, expect.stringContaining(reason)]);
    expect((await lstat(join(directory, String(aside)))).isFile()).toBe(false);
    await store.save(record);
    expect(await readFile(join(directory, name), 'utf8')).toBe(formatRecord(record));
    await store.close();
  },
);

test('at a start, a damaged record that cannot be moved aside is logged and counted all the same', async () => {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, name), 'damaged');
  const { lines, logger } = recordingLogger();
  const store = await open(directory, { logger });
  const now = vi.spyOn(Date, 'now').mockReturnValue(123);
  onTestFinished(() => {
    now.mockRestore();
  });
  // A directory that is not empty cannot be replaced, as a full disk cannot take another name.
  await mkdir(join(directory, `${name}.damaged-123`, 'inner'), { recursive: true });

  expect(await store.load()).toEqual({ records: [], damaged: 1 });

  expect(lines[0]!.fields).toEqual({
    file: name,
    not_moved: expect.stringContaining('EISDIR') as string,
    reason: expect.any(String) as string,
  });
  await store.close();
});

test('at a start, what a killed process had begun to write is removed', async () => {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, `${name}.tmp`), 'half');
  const store = await open(directory);

  expect((await store.load()).records).toEqual([]);

  expect(await readdir(directory)).toEqual(['lock.1']);
  await store.close();
  expect(await readdir(directory)).toEqual([]);
});

test('a record that is removed is gone at the next start, and one that is not there is no failure', async () => {
  const directory = await temporaryDirectory();
  const store = await open(directory);
  await store.save(record);

  await store.remove(record);
  await store.remove(record);

  expect((await store.load()).records).toEqual([]);
  await store.close();
});

test('saves that wait for a slow disk share the syncs of the directory', async () => {
  const calls = new TroubledDisk();
  const store = await open(await temporaryDirectory(), { fileCalls: calls });
  calls.trouble = { slowMs: 2 };
  const before = calls.calls;
  const count = 200;

  await Promise.all(
    Array.from({ length: count }, (_, i) => store.save(quotaRecord(`ap-region-${i}`))),
  );

  // A write and a rename of each record, one sync for a batch, and touches of the lock.
  expect(calls.calls - before).toBeLessThan(2 * count + 20);
  await store.close();
});
