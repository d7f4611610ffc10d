import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { StoreLockedError } from '../../../src/state/store-locked-error.ts';
import { nodeFileSystem, type FileSystem } from '../../../src/state/file-system.ts';
import { describeThisProcess, type LockHolder } from '../../../src/state/lock-holder.ts';
import { temporaryDirectory } from '../../helpers/directories.ts';
import {
  failingFileSystem,
  foreignProcess,
  formerProcess,
  nowMs,
  openStore,
} from '../../helpers/file-stores.ts';
import { quotaRecord, targetsOf } from '../../helpers/records.ts';

const record = quotaRecord('ap-guangzhou');
const quick = { beatMs: 20, silenceMs: 300 };
/** Of a process that never beats within a test. */
const asleep = { beatMs: 1_000_000, silenceMs: 300 };

const lockText = (holder: LockHolder) => `${JSON.stringify(holder)}\n`;

/** A directory whose lock file has this text, just written. */
async function lockedDirectory(text: string): Promise<string> {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, 'lock'), text);
  return directory;
}

const holderIn = async (directory: string): Promise<LockHolder> =>
  JSON.parse(await readFile(join(directory, 'lock'), 'utf8')) as LockHolder;

/** Opens the store, and expects it to be ours and to work. */
async function expectTakenOver(directory: string, lockTiming = quick): Promise<void> {
  const store = await openStore(directory, { lockTiming });
  await store.save(record);
  expect((await holderIn(directory)).pid).toBe(process.pid);
  await store.close();
}

/** The pid of a process that has ended. */
const endedPid = () => spawnSync('true').pid;

/** The pid of a process that has ended and that its parent never asks about. */
async function zombiePid(): Promise<number> {
  const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60']);
  onTestFinished(() => {
    parent.kill();
  });
  const [output] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(String(output));
  const state = () => readFile(`/proc/${pid}/stat`, 'utf8');
  await expect.poll(state).toMatch(/\) Z /);
  return pid;
}

describe('a directory in use', () => {
  it('is refused to a second store, whose error names the holder', async () => {
    const directory = await temporaryDirectory();
    const first = await openStore(directory);

    const second = openStore(directory);

    const { pid, host } = await describeThisProcess(nowMs);
    await expect(second).rejects.toMatchObject({ code: 'locked', holder: { pid, host } });
    await expect(second).rejects.toThrow(
      `${directory} is in use by process ${pid} on host ${host} since 2025-11-20T12:00:00.000Z`,
    );
    await first.close();
  });

  it('is free once its store is closed', async () => {
    const directory = await temporaryDirectory();
    const first = await openStore(directory);
    await first.save(record);
    await first.close();

    const second = await openStore(directory);

    expect((await second.load(targetsOf(record))).records).toEqual([record]);
    await second.close();
  });

  it('is refused while a process of another machine keeps touching its lock', async () => {
    const directory = await temporaryDirectory();
    const self = await foreignProcess();
    const first = await openStore(directory, { self, lockTiming: quick });

    const second = openStore(directory, { lockTiming: { beatMs: 20, silenceMs: 5_000 } });

    await expect(second).rejects.toMatchObject({ holder: { host: 'elsewhere', pid: 1 } });
    await first.close();
  });
});

describe('a directory in use on a full disk', () => {
  const full = () => failingFileSystem(new Map<keyof FileSystem, string>([['write', 'ENOSPC']]));

  it('is refused to a second store', async () => {
    const directory = await temporaryDirectory();
    const first = await openStore(directory);

    const second = openStore(directory, { fileSystem: full() });

    await expect(second).rejects.toMatchObject({ code: 'locked', holder: { pid: process.pid } });
    await first.close();
  });

  it('is refused while a process of another machine keeps touching its lock', async () => {
    const directory = await temporaryDirectory();
    const first = await openStore(directory, { self: await foreignProcess(), lockTiming: quick });

    const second = openStore(directory, {
      fileSystem: full(),
      lockTiming: { beatMs: 20, silenceMs: 5_000 },
    });

    await expect(second).rejects.toMatchObject({ holder: { host: 'elsewhere' } });
    await first.close();
  });

  it('whose holder is silent opens without its lock, which stays', async () => {
    const dead = lockText(await foreignProcess());
    const directory = await lockedDirectory(dead);

    const store = await openStore(directory, { fileSystem: full(), lockTiming: quick });

    await expect(store.save(record)).rejects.toMatchObject({ cause: { code: 'ENOSPC' } });
    expect(await readFile(join(directory, 'lock'), 'utf8')).toBe(dead);
    await store.close();
  });
});

describe('the lock of a dead process', () => {
  it.each([
    ['whose pid is free', async () => ({ ...(await describeThisProcess(nowMs)), pid: endedPid() })],
    ['whose pid belongs to a later process', formerProcess],
    [
      'that is a zombie',
      async () => ({
        ...(await describeThisProcess(nowMs)),
        pid: await zombiePid(),
        processStart: null,
      }),
    ],
  ])('%s is taken over at once', async (_, dead) => {
    const directory = await lockedDirectory(lockText(await dead()));

    await expectTakenOver(directory, { beatMs: 20, silenceMs: 1_000_000 });
  });

  it('of another container, which had our pid, is taken over when it stays silent', async () => {
    const self = await describeThisProcess(nowMs);
    const former = { ...self, id: 'former', pidNamespace: 'pid:[1]' };

    await expectTakenOver(await lockedDirectory(lockText(former)));
  });

  it('of another machine is taken over without a wait when it was silent for long', async () => {
    const directory = await lockedDirectory(lockText(await foreignProcess()));
    await utimes(join(directory, 'lock'), new Date(0), new Date(0));

    await expectTakenOver(directory, { beatMs: 20, silenceMs: 1_000_000 });
  });

  it.each([
    ['is empty', ''],
    ['is garbage', '\u0000\u0001{'],
    ['is other JSON', '{"pid":"one"}'],
  ])('that %s is taken over when it stays silent', async (_, text) => {
    await expectTakenOver(await lockedDirectory(text));
  });

  it('is taken over by one of many that try at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const directory = await lockedDirectory(lockText(await formerProcess()));

      const attempts = await Promise.allSettled(
        Array.from({ length: 8 }, () => openStore(directory, { lockTiming: quick })),
      );

      const opened = attempts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      const reasons = attempts.flatMap((each) =>
        each.status === 'rejected' ? [(each.reason as StoreLockedError).code] : [],
      );
      expect(opened).toHaveLength(1);
      expect(reasons).toEqual(Array(7).fill('locked'));
      await opened[0]?.save(record);
      await opened[0]?.close();
    }
  });

  it('is not confused with the lock of a living one that took it over just before', async () => {
    const directory = await lockedDirectory(lockText(await formerProcess()));
    const living = await describeThisProcess(nowMs);
    const attempt = openStore(directory, {
      fileSystem: {
        ...nodeFileSystem,
        link: async (from, to) => {
          if (to.includes('.claim-')) await writeFile(join(directory, 'lock'), lockText(living));
          await nodeFileSystem.link(from, to);
        },
      },
      lockTiming: quick,
    });

    await expect(attempt).rejects.toMatchObject({ holder: { id: living.id } });
    expect(await holderIn(directory)).toEqual(living);
  });

  it('whose taker died over it is taken over all the same', async () => {
    const dead = lockText(await formerProcess());
    const directory = await lockedDirectory(dead);
    let claims = 0;
    const dying = openStore(directory, {
      self: await formerProcess(),
      fileSystem: {
        ...nodeFileSystem,
        link: async (from, to) => {
          await nodeFileSystem.link(from, to);
          claims += 1;
        },
        remove: () => Promise.resolve(),
        rename: () => Promise.reject(new Error('died')),
      },
    });
    await (await dying).close();
    expect(claims).toBe(1);
    expect(await readFile(join(directory, 'lock'), 'utf8')).toBe(dead);

    await expectTakenOver(directory, { beatMs: 20, silenceMs: 1_000_000 });
  });

  it('is not waited for once the start is aborted', async () => {
    const directory = await lockedDirectory(lockText(await foreignProcess()));
    const stop = new AbortController();
    const attempt = openStore(directory, { signal: stop.signal });
    const reason = new Error('stopped');

    stop.abort(reason);

    await expect(attempt).rejects.toBe(reason);
    expect((await holderIn(directory)).host).toBe('elsewhere');
  });
});

describe('a holder', () => {
  it('whose lock was taken over tells it once, saves no more, and leaves the lock alone', async () => {
    const directory = await temporaryDirectory();
    const onLockLost = vi.fn();
    const self = await foreignProcess();
    const store = await openStore(directory, { self, lockTiming: quick, onLockLost });
    const taker = lockText(await describeThisProcess(nowMs));

    // As a whole, as a daemon does it: the holder must not read half of it.
    await writeFile(join(directory, 'taker'), taker);
    await rename(join(directory, 'taker'), join(directory, 'lock'));

    await expect.poll(() => onLockLost.mock.calls.length).toBe(1);
    expect(onLockLost.mock.calls[0]?.[0]).toMatchObject({ holder: { pid: process.pid } });
    await expect(store.save(record)).rejects.toMatchObject({ code: 'locked' });
    await store.close();
    expect(await readFile(join(directory, 'lock'), 'utf8')).toBe(taker);
    expect(onLockLost).toHaveBeenCalledOnce();
  });

  it('that lost its lock takes it no more, although it is free by then', async () => {
    const directory = await temporaryDirectory();
    const lockFile = join(directory, 'lock');
    const onLockLost = vi.fn();
    let touches = 0;
    const store = await openStore(directory, {
      lockTiming: asleep,
      onLockLost,
      fileSystem: {
        ...nodeFileSystem,
        // Both saves are to ask for a look, the second one during that for the first one.
        write: async (path, text) => {
          if (path.includes('shanghai')) await expect.poll(() => touches).toBeGreaterThan(0);
          await nodeFileSystem.write(path, text);
        },
        touch: async (path, text) => {
          touches += 1;
          await delay(100);
          return nodeFileSystem.touch(path, text);
        },
        read: async (path, maxBytes) => {
          const found = await nodeFileSystem.read(path, maxBytes);
          if (path === lockFile) await rm(lockFile);
          return found;
        },
      },
    });
    await writeFile(lockFile, lockText(await foreignProcess()));

    const saves = ['ap-guangzhou', 'ap-shanghai'].map((region) => store.save(quotaRecord(region)));
    const results = await Promise.allSettled(saves);

    expect(results).toMatchObject([{ reason: { code: 'locked' } }, { reason: { code: 'locked' } }]);
    expect(onLockLost).toHaveBeenCalledOnce();
    expect(await readdir(directory)).toEqual([]);
    await store.close();
  });

  it('that was suspended looks at its lock before it saves', async () => {
    const directory = await temporaryDirectory();
    let now = nowMs;
    const onLockLost = vi.fn();
    const store = await openStore(directory, {
      self: await foreignProcess(),
      lockTiming: asleep,
      clock: { now: () => now },
      onLockLost,
    });
    const taker = await openStore(directory, { lockTiming: asleep });
    await taker.save(quotaRecord('ap-guangzhou', 2));

    now += 2 * asleep.beatMs;

    await expect(store.save(record)).rejects.toMatchObject({ code: 'locked' });
    expect(onLockLost).toHaveBeenCalledOnce();
    expect((await taker.load(targetsOf(record))).records).toEqual([quotaRecord('ap-guangzhou', 2)]);
    await store.close();
    await taker.close();
  });

  it('whose lock file was removed puts it back', async () => {
    const directory = await temporaryDirectory();
    const store = await openStore(directory, { lockTiming: quick });

    await rm(join(directory, 'lock'));

    await expect.poll(async () => (await holderIn(directory)).pid).toBe(process.pid);
    await store.close();
  });

  it('whose directory was removed creates it again', async () => {
    const directory = join(await temporaryDirectory(), 'data');
    const store = await openStore(directory, { lockTiming: quick });

    await rm(directory, { recursive: true });

    await expect.poll(() => store.save(record)).toBeUndefined();
    expect((await store.load(targetsOf(record))).records).toEqual([record]);
    await store.close();
  });

  it('survives beats that fail', async () => {
    const directory = await temporaryDirectory();
    const failures = new Map<keyof FileSystem, string>([['touch', 'EIO']]);
    const fileSystem = failingFileSystem(failures);
    const asked = vi.spyOn(failures, 'get');
    const store = await openStore(directory, { fileSystem, lockTiming: quick });
    const beats = () => asked.mock.calls.filter(([name]: string[]) => name === 'touch').length;
    await expect.poll(beats).toBeGreaterThan(2);

    failures.clear();

    await store.save(record);
    await store.close();
  });

  it('that could not lock at first gives way to one that could', async () => {
    const directory = await temporaryDirectory();
    const failures = new Map<keyof FileSystem, string>([['makeDirectory', 'EIO']]);
    const onLockLost = vi.fn();
    const late = await openStore(directory, {
      fileSystem: failingFileSystem(failures),
      onLockLost,
    });
    const holder = await openStore(directory);
    failures.clear();

    await expect(late.save(record)).rejects.toMatchObject({ code: 'locked' });

    expect(onLockLost).toHaveBeenCalledOnce();
    await late.close();
    await holder.close();
  });

  it('that waits for a silent one ends at once when it is closed', async () => {
    const directory = await lockedDirectory(lockText(await foreignProcess()));
    const failures = new Map<keyof FileSystem, string>([['makeDirectory', 'EIO']]);
    const store = await openStore(directory, {
      fileSystem: failingFileSystem(failures),
      lockTiming: { beatMs: 20, silenceMs: 1_000_000 },
    });
    failures.clear();
    const save = store.save(record);
    save.catch(() => undefined);

    await store.close();

    await expect(save).rejects.toMatchObject({ code: 'unwritable' });
    expect((await holderIn(directory)).host).toBe('elsewhere');
  });
});
