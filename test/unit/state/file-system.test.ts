import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainFailure, nodeFileSystem, UnfitFileError } from '../../../src/state/file-system.ts';
import { temporaryDirectory, temporaryFile } from '../../helpers/directories.ts';
import { systemError } from '../../helpers/file-stores.ts';
import { asNobody, canBeNobody, isRoot } from '../../helpers/users.ts';

/** Which files of a directory this process has open. */
async function openFilesIn(directory: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const paths = await Promise.all(
    descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')),
  );
  return paths.filter((path) => path.startsWith(directory));
}

describe('the file system of the machine', () => {
  it('reads a file of the largest size that is allowed, and none that is larger', async () => {
    const path = await temporaryFile('file', 'four');

    expect(await nodeFileSystem.read(path, 4)).toBe('four');
    await expect(nodeFileSystem.read(path, 3)).rejects.toThrow(UnfitFileError);
  });

  it.runIf(existsSync('/proc/self/fd'))('leaves no file open', async () => {
    const directory = await temporaryDirectory();
    const path = join(directory, 'file');

    await nodeFileSystem.write(path, 'text');
    await nodeFileSystem.read(path, 4);
    await expect(nodeFileSystem.read(path, 3)).rejects.toThrow();
    await nodeFileSystem.touch(path, 'text');
    await nodeFileSystem.touch(path, 'other');
    await nodeFileSystem.syncDirectory(directory);

    expect(await openFilesIn(directory)).toEqual([]);
  });

  it('creates a directory and those above it, also if another does so at the same time', async () => {
    const path = join(await temporaryDirectory(), 'some', 'where');

    await Promise.all([nodeFileSystem.makeDirectory(path), nodeFileSystem.makeDirectory(path)]);
    await nodeFileSystem.makeDirectory(path);

    expect(await readdir(path)).toEqual([]);
  });

  it.runIf(existsSync('/proc/self'))('creates none where its parent refuses', async () => {
    const file = await temporaryFile('file', '');

    for (const [path, code] of [
      [join(file, 'below'), 'ENOTDIR'],
      ['/proc/missing', 'ENOENT'],
      ['/proc/missing/below', 'ENOENT'],
    ] as const) {
      await expect(nodeFileSystem.makeDirectory(path), path).rejects.toMatchObject({ code });
    }
  });

  it('makes no name durable in a directory that is not there', async () => {
    const missing = join(await temporaryDirectory(), 'missing');

    await expect(nodeFileSystem.syncDirectory(missing)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.runIf(existsSync('/proc/self'))('accepts a directory that cannot be synced', async () => {
    // procfs refuses fsync(2), as some network volumes do.
    await expect(nodeFileSystem.syncDirectory('/proc')).resolves.toBeUndefined();
  });

  it('gives no second name to a file that is not there', async () => {
    const directory = await temporaryDirectory();

    const linked = nodeFileSystem.link(join(directory, 'missing'), join(directory, 'to'));

    await expect(linked).rejects.toMatchObject({ code: 'ENOENT', syscall: 'link' });
  });

  it('touches a file only while it holds the expected text', async () => {
    const path = await temporaryFile('file', 'ours');
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
    expect(explainFailure(new Error('no code'))).toMatch(/tried again/);
  });
});
