import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainFailure, nodeFileSystem } from '../../../src/state/file-system.ts';
import { temporaryDirectory } from '../../helpers/directories.ts';
import { systemError } from '../../helpers/file-stores.ts';
import { asNobody, canBeNobody, isRoot } from '../../helpers/users.ts';

describe('the file system of the machine', () => {
  it('touches a file only while it holds the expected text', async () => {
    const path = join(await temporaryDirectory(), 'file');
    await writeFile(path, 'ours');
    const before = await nodeFileSystem.modifiedAtMs(path);

    expect(await nodeFileSystem.touch(path, 'theirs')).toBe(false);
    expect(await nodeFileSystem.modifiedAtMs(path)).toBe(before);
    expect(await nodeFileSystem.touch(path, 'ours')).toBe(true);
    expect(await nodeFileSystem.modifiedAtMs(path)).toBeGreaterThan(before);
    expect(await readFile(path, 'utf8')).toBe('ours');
  });

  // Linux refuses links to files that one may not write, as a file system without links does.
  it.runIf(isRoot && canBeNobody)(
    'copies where it may not link, and still never replaces',
    async () => {
      const directory = await temporaryDirectory();
      await chmod(directory, 0o777);
      const [from, to] = [join(directory, 'from'), join(directory, 'to')];
      await writeFile(from, 'text');

      await asNobody(() => nodeFileSystem.link(from, to));

      expect(await readFile(to, 'utf8')).toBe('text');
      await expect(asNobody(() => nodeFileSystem.link(from, to))).rejects.toMatchObject({
        code: 'EEXIST',
      });
    },
  );

  it('explains a failure with what to do about it', () => {
    expect(explainFailure(systemError('ENOSPC'))).toMatch(/free some space/);
    expect(explainFailure(systemError('EBUSY'))).toMatch(/tried again/);
  });
});
