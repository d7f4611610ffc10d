import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { boundFileSystem, HungCallError } from '../../../src/state/bounded-file-system.ts';
import { temporaryDirectory } from '../../helpers/directories.ts';
import { hangingFileSystem } from '../../helpers/hanging-file-system.ts';

const bounds = { timeoutMs: 50, maxCalls: 2 };

async function setUp() {
  const path = join(await temporaryDirectory(), 'file');
  await writeFile(path, 'text');
  const disk = hangingFileSystem();
  return { ...disk, path, bounded: boundFileSystem(disk.fileSystem, bounds) };
}

const hungError = (call: Promise<unknown>): Promise<HungCallError> =>
  call.then(
    () => Promise.reject(new Error('did not hang')),
    (error: unknown) => error as HungCallError,
  );

describe('a call that hangs', () => {
  it('fails in time, and tells when it has ended after all', async () => {
    const { bounded, hold, path, release } = await setUp();
    hold('read');

    const error = await hungError(bounded.read(path, 100));
    release();

    expect(error).toBeInstanceOf(HungCallError);
    expect(error).toMatchObject({ code: 'ETIMEDOUT', message: `${path}: no answer within 0.05 s` });
    expect(await error.settled).toBe(true);
  });

  it('tells when it fails after all', async () => {
    const { bounded, hold, path, release } = await setUp();
    hold('remove');

    const error = await hungError(bounded.remove(`${path}.gone`));
    release();

    expect(await error.settled).toBe(false);
  });

  it('keeps no more threads than calls are allowed: others fail at once, and do not begin', async () => {
    const { bounded, hold, path, waiting } = await setUp();
    hold('read');
    await Promise.all([1, 2].map(() => hungError(bounded.read(path, 100))));

    const error = await hungError(bounded.write(path, 'other'));

    expect(error.message).toContain('not tried');
    expect(await error.settled).toBe(false);
    expect(waiting()).toBe(2);
  });

  it('takes those with it that wait for a turn when nothing else is left', async () => {
    const { bounded, hold, path, waiting } = await setUp();
    hold('read');

    const errors = await Promise.all([1, 2, 3].map(() => hungError(bounded.read(path, 100))));

    expect(errors.map(({ code }) => code)).toEqual(Array(3).fill('ETIMEDOUT'));
    expect(waiting()).toBe(2);
  });

  it('leaves its turn to the next one when it ends', async () => {
    const { bounded, hold, path, release } = await setUp();
    hold('read');
    const errors = await Promise.all([1, 2].map(() => hungError(bounded.read(path, 100))));
    release();
    await Promise.all(errors.map(({ settled }) => settled));

    const texts = await Promise.all([1, 2, 3].map(() => bounded.read(path, 100)));

    expect(texts).toEqual(['text', 'text', 'text']);
  });
});

describe('many calls that do not hang', () => {
  it('all end, however many wait', async () => {
    const { bounded, path } = await setUp();

    const texts = await Promise.all(Array.from({ length: 50 }, () => bounded.read(path, 100)));

    expect(new Set(texts)).toEqual(new Set(['text']));
  });
});
