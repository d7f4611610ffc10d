/** What a daemon with a cluster makes of a directory whose records it cannot read. The rest is tested with real processes. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeOverFiles } from '../../../src/cluster/take-over-files.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { silentLogger } from '../../support/loggers.ts';
import { TroubledDisk } from '../../support/troubled-disk.ts';

async function takeOver(storagePath: string, trouble: string | null = null) {
  const fileCalls = new TroubledDisk();
  fileCalls.trouble = trouble;
  const { signal } = new AbortController();
  const onFatal = () => undefined;
  const options = { storagePath, fileCalls, collectors, logger: silentLogger, signal, onFatal };
  // Neither Redis nor its records are asked without a record.
  await takeOverFiles(options, {} as never, {} as never);
}

test.each(['EACCES', 'EIO'])(
  'a directory that cannot be read (%s) is an error, and not an empty one',
  async (trouble) => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'a.json'), '');

    await expect(takeOver(directory, trouble)).rejects.toMatchObject({
      name: 'StoreError',
      code: 'unreadable',
      message: expect.stringContaining(trouble) as unknown,
    });
  },
);

test('a directory that does not exist, or has no record, is not touched', async () => {
  const directory = await temporaryDirectory();

  await takeOver(join(directory, 'none'));
  await takeOver(directory);

  expect(await readdir(directory)).toEqual([]);
});
