import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { BoundedCalls } from '../../../src/files/bounded-calls.ts';
import { readStoredRecords } from '../../../src/state/stored-records.ts';
import { temporaryDirectory } from '../../helpers/directories.ts';
import { failingFileSystem, openStore } from '../../helpers/file-stores.ts';
import { quotaRecord, targetsOf } from '../../helpers/records.ts';

const options = { collectors, calls: new BoundedCalls() };
const record = quotaRecord('ap-guangzhou');
const other = quotaRecord('ap-shanghai');
const fileOfOther = 'production@ap-shanghai@DescribeAccountQuota.json';

/** A directory in use: its store is open, and holds one record. */
async function usedDirectory(): Promise<string> {
  const directory = await temporaryDirectory();
  const store = await openStore(directory);
  onTestFinished(() => store.close());
  await store.save(record);
  return directory;
}

test('records are read beside the daemon that holds the lock, and nothing is changed', async () => {
  const directory = await usedDirectory();
  const before = await readdir(directory);

  const stored = await readStoredRecords(directory, targetsOf(record, other), options);

  expect(stored).toEqual({ records: [record], problems: [] });
  expect(await readdir(directory)).toEqual(before);
});

test('a directory that is not there is no problem, and is not created', async () => {
  const parent = await temporaryDirectory();

  const stored = await readStoredRecords(join(parent, 'data'), targetsOf(record), options);

  expect(stored).toEqual({ records: [], problems: [] });
  expect(await readdir(parent)).toEqual([]);
});

test('a damaged record is a problem, stays where it is, and hides no other', async () => {
  const directory = await usedDirectory();
  await writeFile(join(directory, fileOfOther), '{');

  const stored = await readStoredRecords(directory, targetsOf(record, other), options);

  expect(stored.records).toEqual([record]);
  expect(stored.problems).toEqual([expect.stringContaining(`${fileOfOther} cannot be read: `)]);
  expect(await readdir(directory)).toContain(fileOfOther);
});

test.each(['list', 'read'] as const)('a failing %s is a problem', async (call) => {
  const directory = await usedDirectory();
  const fileSystem = failingFileSystem(new Map([[call, 'EACCES']]));

  const stored = await readStoredRecords(directory, targetsOf(record), { ...options, fileSystem });

  expect(stored.records).toEqual([]);
  expect(stored.problems).toEqual([expect.stringContaining('cannot be read: EACCES')]);
});
