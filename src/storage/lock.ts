/**
 * The lock with which `file-store.ts` keeps a second daemon out of its directory: the file `lock.N` with the highest number.
 *
 * 1. A newcomer watches the lock. It gives up when it sees a touch. It takes the lock if there is none, or if the lock is not
 *    touched for three periods, since its holder is then dead.
 * 2. To take it, the newcomer creates the file with the next number, which only one can do, and removes the others. An empty
 *    file needs no room, so a daemon starts on a full disk too.
 * 3. The holder touches the file in each period. If the file is gone or another one, the lock is lost: `onFatal`.
 * 4. The holder removes the file at the close or the exit.
 */
import { statSync, unlinkSync, type Stats } from 'node:fs';
import { open, readdir, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BoundedCalls } from '../bounded-calls.ts';
import { codeOf } from '../model/errors.ts';
import { readText } from './record-file.ts';
import { StoreError } from './store-error.ts';

/** How often the holder touches its lock. */
const usualTouchMs = 3_000;
/** A holder counts as dead after this many periods without a touch. */
const maxMissedTouches = 3;

export interface LockOptions {
  /** The directory of the records. */
  readonly storagePath: string;
  /** Makes the calls to the file system. */
  readonly fileCalls: BoundedCalls;
  /** Ends the wait for the lock. */
  readonly signal: AbortSignal;
  /** How often the lock is touched. A lock without a touch for three times as long is free. Defaults to 3 s. */
  readonly touchMs?: number | undefined;
  /** Called once when another daemon has taken the lock: nothing may be written from then on. */
  readonly onFatal: (error: StoreError) => void;
}

/** The lock that this process holds. */
export type Lock = Awaited<ReturnType<typeof takeLock>>;

/**
 * Waits until the lock of a directory that exists is free or its holder is dead, takes it, and keeps it by touching it.
 *
 * @throws StoreError `locked` as soon as the holder touches it
 * @throws Error of a system call that failed, or an AbortError when the signal aborts: the store rethrows its reason
 */
export async function takeLock(options: LockOptions) {
  const { fileCalls, signal, storagePath: directory, touchMs = usualTouchMs } = options;
  const run = <T>(work: () => Promise<T>) => fileCalls.run('storage', directory, work);
  let before = await run(() => readHighestLock(directory));
  /** Since when this process has seen the same lock. Another number begins again. */
  let untouchedSinceMs = performance.now();
  for (;;) {
    const current = await run(() => readHighestLock(directory));
    if (current.number !== before.number) {
      untouchedSinceMs = performance.now();
    } else if (current.modifiedAtMs !== before.modifiedAtMs) {
      throw lockedError(directory, current.text);
    }
    before = current;
    const untouchedMs = performance.now() - untouchedSinceMs;
    if (current.number === 0 || untouchedMs >= maxMissedTouches * touchMs) {
      const lockFile = await run(() => createLockFile(directory, current.numbers));
      if (lockFile !== null) return keepLock(options, lockFile);
    }
    await delay(touchMs / 10, undefined, { signal });
  }
}

/** Keeps the lock of a directory: touches it, says when it is lost, and removes it at the end. */
function keepLock(options: LockOptions, { file, path, stats }: LockFile) {
  const { fileCalls, onFatal, storagePath, touchMs = usualTouchMs } = options;
  /** When the lock was last touched, on the monotonic clock. */
  let touchedAtMs = performance.now();
  /** Why nothing may be written any more: the lock is lost, or the store is closed. `null` while it is held. */
  let ended: StoreError | null = null;

  /** Returns `false` when the lock is lost: its file is gone, or another one is in its place. */
  const touchFile = async () => {
    // The path may lead to the lock of another daemon, or to another volume.
    const current = await statsOf(path).catch(nullFor('ENOENT'));
    if (current === null || !isSameFile(current, stats)) return false;
    const now = new Date();
    await file.utimes(now, now);
    return true;
  };
  const touch = async () => {
    const startedMs = performance.now();
    const isHeld = await fileCalls.run('storage', path, touchFile);
    if (isHeld) touchedAtMs = startedMs;
    if (isHeld || ended !== null) return;
    clearInterval(timer);
    ended = lockedError(storagePath, '');
    onFatal(ended);
  };
  const timer = setInterval(() => {
    // A call that fails loses no lock. The next save fails too, and is logged.
    touch().catch(() => undefined);
  }, touchMs).unref();
  const isTouchOverdue = () => performance.now() - touchedAtMs > 2 * touchMs;

  /** Removes the lock at every exit that runs code, except where a storage that does not answer would delay the exit. */
  const release = () => {
    if (ended !== null || isTouchOverdue()) return;
    try {
      if (isSameFile(statSync(path), stats)) unlinkSync(path);
    } catch {
      // The lock stays: the next daemon waits until it was not touched for 9 s.
    }
  };
  process.once('exit', release);

  return {
    /**
     * Reads the lock if a touch is overdue, as after a suspension.
     *
     * @throws StoreError when the lock is lost, or the store is closed
     */
    check: async () => {
      if (isTouchOverdue()) await touch();
      if (ended !== null) throw ended;
    },
    /** Removes the lock. Never rejects. */
    close: async () => {
      clearInterval(timer);
      release();
      // At once: a touch under way finds no lock any more, and must not take it for one that another daemon took.
      ended ??= new StoreError('closed', 'the store is closed');
      process.off('exit', release);
      await file.close().catch(() => undefined);
    },
  };
}

/** @param holder the text of the other daemon's lock, such as `process 7 on host a`; empty when unknown */
function lockedError(directory: string, holder: string): StoreError {
  const message = `the storage directory ${directory} is in use by ${holder || 'another daemon'}; stop that daemon, or use another directory`;
  return new StoreError('locked', message);
}

/**
 * The lock with the highest number; 0 when there is none. `numbers`: those of all lock files, as a killed newcomer may have
 * left lower ones. `text` names the holder, and is empty on a full disk.
 */
async function readHighestLock(directory: string) {
  const numbers = await lockNumbers(directory);
  const number = Math.max(0, ...numbers);
  const none = { number: 0, numbers: [], text: '', modifiedAtMs: 0 };
  if (number === 0) return none;
  // The holder may just have released it.
  const read = await readText(join(directory, `lock.${number}`)).catch(nullFor('ENOENT'));
  return read === null ? none : { number, numbers, ...read };
}

/** A lock that this process took. Its file stays open, so that no other file can get its inode. */
type LockFile = NonNullable<Awaited<ReturnType<typeof createLockFile>>>;

/**
 * Takes the lock with the next number, and removes the dead ones.
 *
 * @param dead the numbers of locks whose holders are dead
 * @returns `null` when another newcomer was faster
 */
async function createLockFile(directory: string, dead: readonly number[]) {
  const newNumber = Math.max(0, ...dead) + 1;
  const path = join(directory, `lock.${newNumber}`);
  const file = await open(path, 'wx', 0o600).catch(nullFor('EEXIST'));
  if (file === null) return null;
  const others = (await lockNumbers(directory)).filter((number) => number !== newNumber);
  // Another newcomer may have found no lock while this one waited for a dead one, or the other way round.
  const isAlone = others.every((number) => dead.includes(number));
  const superfluous = isAlone ? others : [newNumber];
  for (const number of superfluous) await unlink(join(directory, `lock.${number}`));
  if (!isAlone) {
    await file.close();
    return null;
  }
  // A newcomer puts this text into its message. On a full disk it stays empty.
  await file.write(`process ${process.pid} on host ${hostname()}`).catch(() => undefined);
  // A file that is open for writing would keep the volume from being mounted read-only.
  const readOnly = await open(path, 'r');
  await file.close();
  return { path, file: readOnly, stats: await readOnly.stat() };
}

/** The numbers of all lock files of a directory, in no particular order. */
async function lockNumbers(directory: string): Promise<readonly number[]> {
  const names = await readdir(directory);
  return names.flatMap((name) => /^lock\.(\d{1,15})$/.exec(name)?.[1] ?? []).map(Number);
}

/** The stats of a path, read through an open file: a network volume may answer from its cache when asked by path. */
async function statsOf(path: string): Promise<Stats> {
  const file = await open(path, 'r');
  try {
    return await file.stat();
  } finally {
    await file.close();
  }
}

/** Makes a handler for `catch`: `null` for an error with the code; throws any other again. */
function nullFor(code: string) {
  return (error: unknown): null => {
    if (codeOf(error) === code) return null;
    throw error;
  };
}

function isSameFile(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}
