import { describe, expect, it } from 'vitest';
import { BoundedCalls, HungCallError, type CallKind } from '../../../src/files/bounded-calls.ts';
import { boundFileSystem } from '../../../src/state/bounded-file-system.ts';
import { temporaryFile } from '../../helpers/directories.ts';
import { hangingFileSystem } from '../../helpers/hanging-file-system.ts';

/** Enough for a call that does not hang, on a busy machine too. */
const timeoutMs = 300;
const bounds = { timeoutMs, maxCalls: 2 };

async function setUp() {
  const path = await temporaryFile('file', 'text');
  const disk = hangingFileSystem();
  return { ...disk, path, bounded: boundFileSystem(disk.fileSystem, new BoundedCalls(bounds)) };
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
    expect(error).toMatchObject({ code: 'ETIMEDOUT', message: `${path}: no answer within 0.3 s` });
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

describe('calls of several kinds', () => {
  const kinds: readonly CallKind[] = ['storage', 'credentials', 'configuration'];
  /** More calls of each kind than may begin, which hang, and how many of them began. */
  async function hang(calls: BoundedCalls, ...hanging: readonly CallKind[]) {
    let begun = 0;
    const call = () => {
      begun += 1;
      return new Promise(() => undefined);
    };
    const each = hanging.flatMap((kind) =>
      [1, 2, 3].map(() => hungError(calls.run(kind, '', call))),
    );
    await Promise.all(each);
    return begun;
  }
  const answer = () => Promise.resolve('text');

  it.each(kinds)('leave each other a place when those of %s hang', async (hanging) => {
    const calls = new BoundedCalls({ timeoutMs, maxCalls: 3 });
    await hang(calls, hanging);

    const others = kinds.filter((kind) => kind !== hanging);
    const texts = await Promise.all(others.map((kind) => calls.run(kind, '', answer)));

    expect(texts).toEqual(['text', 'text']);
    await expect(calls.run(hanging, '', answer)).rejects.toThrow('not tried');
  });

  it('keep three threads together when all hang, and wait for nothing', async () => {
    const calls = new BoundedCalls({ timeoutMs, maxCalls: 3 });

    const begun = await hang(calls, 'configuration', 'storage', 'credentials');

    expect(begun).toBe(3);
    await expect(calls.run('credentials', '', answer)).rejects.toThrow('not tried');
  });
});

describe('many calls that do not hang', () => {
  it('all end, however many wait', async () => {
    const { bounded, path } = await setUp();

    const texts = await Promise.all(Array.from({ length: 50 }, () => bounded.read(path, 100)));

    expect(new Set(texts)).toEqual(new Set(['text']));
  });

  it('begin in the order of their requests, whatever kind they are of', async () => {
    const calls = new BoundedCalls({ timeoutMs, maxCalls: 1 });
    const kinds = ['storage', 'configuration', 'credentials', 'storage', 'credentials'] as const;
    const begun: number[] = [];

    await Promise.all(
      kinds.map((kind, i) => calls.run(kind, String(i), () => Promise.resolve(begun.push(i)))),
    );

    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });
});
