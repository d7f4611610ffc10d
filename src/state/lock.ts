/**
 * The lock of a directory: the file `lock.N` with the highest number. Its holder touches it. A newcomer that sees
 * a touch gives up. A lock that is not touched for a time belongs to a dead process: the newcomer links its own file
 * to the next number, which only one can do.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, unlinkSync } from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../model/errors.ts';
import { linkFile, readText, touchFile, writeText } from './disk.ts';
import { StoreError } from './store.ts';

export interface LockTiming {
  /** How often the holder touches its lock. */
  readonly touchMs: number;
  /** Time without a touch after which a holder counts as dead. */
  readonly silenceMs: number;
}

/** The holder may miss two touches. */
export const usualTiming: LockTiming = { touchMs: 3_000, silenceMs: 9_000 };

const looksPerTouch = 10;
const lockFile = /^lock\.(\d{1,15})$/;

export interface Lock {
  /** Touches the lock. Resolves with the holder's text when the lock is lost, else with `null`. */
  readonly touch: () => Promise<string | null>;
  /** Removes the lock file if it is ours. */
  readonly release: () => void;
}

/**
 * Waits until the lock is free or its holder is dead, and takes it.
 *
 * @param run makes a call to the file system, in a bounded time
 * @throws StoreError `locked` as soon as the holder touches it
 * @throws Error of a system call that failed, or the reason of the signal
 */
export async function takeLock(
  directory: string,
  { touchMs, silenceMs }: LockTiming,
  run: <T>(work: () => Promise<T>) => Promise<T>,
  signal: AbortSignal,
): Promise<Lock> {
  const id = randomUUID();
  const text = `${JSON.stringify({ id, pid: process.pid, host: hostname() })}\n`;
  const temporary = join(directory, `lock.tmp-${id}`);
  let seen = await run(() => look(directory));
  let sinceMs = performance.now();
  try {
    for (;;) {
      const now = await run(() => look(directory));
      const isSame = now?.number === seen?.number;
      if (now !== null && isSame && now.modifiedAtMs !== seen?.modifiedAtMs) {
        throw lockedError(directory, now.text);
      }
      if (!isSame) sinceMs = performance.now();
      seen = now;
      if (now === null || performance.now() - sinceMs >= silenceMs) {
        await run(() => writeText(temporary, text));
        const path = await run(() => takeNumber(directory, now?.number ?? 0, temporary));
        if (path !== null) return lockOf(path, text);
      }
      await delay(touchMs / looksPerTouch, undefined, { signal });
    }
  } finally {
    await run(() => unlink(temporary)).catch(() => undefined);
  }
}

/** The present lock: the one with the highest number; `null` when there is none. */
async function look(directory: string) {
  const number = Math.max(0, ...(await numbersIn(directory)));
  if (number === 0) return null;
  try {
    return { number, ...(await readText(join(directory, `lock.${number}`))) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** @returns the path of our lock; `null` when another newcomer was faster */
async function takeNumber(
  directory: string,
  dead: number,
  temporary: string,
): Promise<string | null> {
  const path = join(directory, `lock.${dead + 1}`);
  try {
    await linkFile(temporary, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return null;
    throw error;
  }
  const others = (await numbersIn(directory)).filter((number) => number !== dead + 1);
  // It found no lock while this one waited for the end of a dead one, or the other way round.
  if (others.some((number) => number !== dead)) {
    await unlink(path);
    return null;
  }
  for (const number of others) await unlink(join(directory, `lock.${number}`));
  return path;
}

function lockOf(path: string, text: string): Lock {
  return {
    touch: async () => {
      try {
        return (await touchFile(path, text)) ? null : (await readText(path)).text;
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return '';
        throw error;
      }
    },
    release: () => {
      if (readFileSync(path, 'utf8') === text) unlinkSync(path);
    },
  };
}

/** @param holder the text of the lock of another process; empty when it is not known */
export function lockedError(directory: string, holder: string): StoreError {
  const named = /^\{"id":"[^"]*","pid":(\d+),"host":"([^"]*)"\}/.exec(holder);
  const who = named === null ? 'another daemon' : `process ${named[1]} on host ${named[2]}`;
  return new StoreError(
    'locked',
    `the storage directory ${directory} is in use by ${who}; stop that daemon, or use another directory`,
  );
}

async function numbersIn(directory: string): Promise<readonly number[]> {
  return (await readdir(directory)).flatMap((name) => {
    const number = lockFile.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}
