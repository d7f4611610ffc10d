/** A lock whose system calls fail, or that others change at the same time. */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeFileSystem, type FileSystem } from '../../../src/state/file-system.ts';
import { temporaryDirectory } from '../../helpers/directories.ts';
import {
  failingFileSystem,
  foreignProcess,
  formerProcess,
  nowMs,
  openStore,
  systemError,
} from '../../helpers/file-stores.ts';
import { quotaRecord } from '../../helpers/records.ts';

const record = quotaRecord('ap-guangzhou');
const quick = { beatMs: 20, silenceMs: 300 };
/** Of a process that never beats within a test. */
const asleep = { beatMs: 1_000_000, silenceMs: 300 };

/** A directory with a lock of this text, by default that of a dead process. */
async function lockedDirectory(text?: string) {
  const directory = await temporaryDirectory();
  const lockFile = join(directory, 'lock');
  const lockText = text ?? JSON.stringify(await formerProcess());
  await writeFile(lockFile, lockText);
  return { directory, lockFile, lockText };
}

const pidIn = async (lockFile: string) =>
  (JSON.parse(await readFile(lockFile, 'utf8')) as { pid: number }).pid;

describe('a store that cannot take its lock', () => {
  it.each(['read', 'modifiedAtMs'] as const)('says why, when %s fails', async (call) => {
    const { directory } = await lockedDirectory();
    const failures = new Map<keyof FileSystem, string>([[call, 'EIO']]);
    const store = await openStore(directory, { fileSystem: failingFileSystem(failures) });

    await expect(store.save(record)).rejects.toMatchObject({ cause: { code: 'EIO' } });

    await store.close();
  });

  it('says why, when it cannot claim the lock of a dead process', async () => {
    const { directory, lockFile, lockText } = await lockedDirectory();
    const failures = new Map<keyof FileSystem, string>([['link', 'ENOSPC']]);
    const store = await openStore(directory, { fileSystem: failingFileSystem(failures) });

    await expect(store.save(record)).rejects.toMatchObject({ cause: { code: 'ENOSPC' } });

    expect(await readFile(lockFile, 'utf8')).toBe(lockText);
    await store.close();
  });

  it('gives up after a hundred attempts that others were faster', async () => {
    const directory = await temporaryDirectory();
    let attempts = 0;
    const store = await openStore(directory, {
      fileSystem: {
        ...nodeFileSystem,
        link: async (from, to) => {
          attempts += 1;
          if (attempts <= 150) throw systemError('EEXIST');
          await nodeFileSystem.link(from, to);
        },
      },
    });

    expect(attempts).toBe(100);
    await store.close();
  });

  it('leaves the lock of another process alone when it closes', async () => {
    const { directory, lockFile } = await lockedDirectory();
    const store = await openStore(directory, { lockTiming: asleep });
    const other = JSON.stringify(await foreignProcess());
    await writeFile(lockFile, other);

    await store.close();

    expect(await readFile(lockFile, 'utf8')).toBe(other);
  });
});

describe('a lock', () => {
  it('is ours although the call that created it reports another one', async () => {
    const directory = await temporaryDirectory();
    const store = await openStore(directory, {
      fileSystem: {
        ...nodeFileSystem,
        link: async (from, to) => {
          await nodeFileSystem.link(from, to);
          throw systemError('EEXIST');
        },
      },
    });

    await store.save(record);

    expect(store.generation).toBe(1);
    await store.close();
  });

  it('is claimed under the name of the text of the dead process, and the claim goes', async () => {
    const { directory, lockFile, lockText } = await lockedDirectory();
    const claims: string[] = [];
    const store = await openStore(directory, {
      fileSystem: {
        ...nodeFileSystem,
        link: async (from, to) => {
          claims.push(to);
          await nodeFileSystem.link(from, to);
        },
      },
    });

    const digest = createHash('sha256').update(lockText).digest('hex');
    expect(claims).toEqual([`${lockFile}.claim-${digest}`]);
    expect(await readdir(directory)).toEqual(['lock']);
    await store.close();
  });

  it('is created where that of the dead process goes before it is replaced', async () => {
    const { directory, lockFile } = await lockedDirectory();
    const store = await openStore(directory, {
      lockTiming: quick,
      fileSystem: {
        ...nodeFileSystem,
        link: async (from, to) => {
          await nodeFileSystem.link(from, to);
          if (to.includes('.claim-')) await rm(lockFile);
        },
      },
    });

    expect(await pidIn(lockFile)).toBe(process.pid);
    await store.close();
  });

  it('with a time of the future is taken over when its holder stays silent', async () => {
    const { directory, lockFile } = await lockedDirectory(JSON.stringify(await foreignProcess()));
    const future = new Date(Date.now() + 3_600_000);
    await utimes(lockFile, future, future);

    const store = await openStore(directory, { lockTiming: quick });

    expect(await pidIn(lockFile)).toBe(process.pid);
    await store.close();
  });

  it('of a holder that was silent for 9 seconds is taken over, and not before', async () => {
    const old = await lockedDirectory(JSON.stringify(await foreignProcess()));
    const young = await lockedDirectory(JSON.stringify(await foreignProcess()));
    const touch = (lockFile: string, agoMs: number) =>
      utimes(lockFile, new Date(), new Date(Date.now() - agoMs));
    await touch(old.lockFile, 9_500);
    await touch(young.lockFile, 5_000);
    const stop = new AbortController();

    const waiting = openStore(young.directory, { signal: stop.signal });
    const store = await openStore(old.directory);
    stop.abort(new Error('stopped'));

    await expect(waiting).rejects.toThrow('stopped');
    expect(await pidIn(old.lockFile)).toBe(process.pid);
    await store.close();
  });

  it('without a holder is not taken over while somebody touches it', async () => {
    const { directory, lockFile } = await lockedDirectory('garbage');
    const touching = setInterval(() => {
      void utimes(lockFile, new Date(), new Date());
    }, 20);
    onTestFinished(() => {
      clearInterval(touching);
    });

    const opening = openStore(directory, { lockTiming: { beatMs: 20, silenceMs: 5_000 } });

    await expect(opening).rejects.toMatchObject({ name: 'StoreLockedError', holder: null });
  });
});

describe('a holder that saves', () => {
  /** A store that counts its looks at the lock, and a clock that can be set. */
  async function counted() {
    const directory = await temporaryDirectory();
    const clock = { nowMs, now: () => clock.nowMs };
    const looks = { count: 0, fails: false };
    const store = await openStore(directory, {
      clock,
      lockTiming: asleep,
      fileSystem: {
        ...nodeFileSystem,
        touch: (path, text) => {
          looks.count += 1;
          return looks.fails
            ? Promise.reject(systemError('EIO'))
            : nodeFileSystem.touch(path, text);
        },
      },
    });
    onTestFinished(() => store.close());
    return { clock, directory, looks, store };
  }

  it.each([
    ['once', 0, 1],
    ['once, just before it missed two beats', 2 * asleep.beatMs - 1, 1],
    ['first, too, after it missed two beats', 2 * asleep.beatMs, 2],
    ['first, too, after the clock was set back', -2 * asleep.beatMs, 2],
  ])('looks at its lock %s', async (_when, laterMs, expected) => {
    const { clock, looks, store } = await counted();
    clock.nowMs += laterMs;

    await store.save(record);

    expect(looks.count).toBe(expected);
  });

  it('saves nothing while it cannot look at its lock', async () => {
    const { looks, store } = await counted();
    looks.fails = true;

    await expect(store.save(record)).rejects.toMatchObject({ cause: { code: 'EIO' } });

    expect(store.generation).toBe(1);
  });

  it('counts how often it took the lock', async () => {
    const { directory, store } = await counted();
    await rm(join(directory, 'lock'));

    await store.save(record);

    expect(store.generation).toBe(2);
  });
});
