/**
 * The lock of a directory: the file `lock.N` with the highest number. Its holder touches it. A newcomer that sees
 * a touch gives up. A lock that is not touched for a time belongs to a dead process: the newcomer creates
 * the file with the next number, which only one can do.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, unlinkSync } from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BoundedCalls } from '../files/bounded-calls.ts';
import { codeOf } from '../model/errors.ts';
import { createText, readText, touchFile } from './disk.ts';
import { StoreError } from './store.ts';

/** How often the holder touches its lock. */
export const usualTouchMs = 3_000;
/** After how many periods without a touch a holder counts as dead. */
const silentTouches = 3;

export interface LockOptions {
  /** Makes the calls to the file system. */
  readonly calls: BoundedCalls;
  /** Ends the wait for the lock. */
  readonly signal: AbortSignal;
  readonly touchMs: number;
}

/** A lock that this process took. */
export interface Lock {
  readonly path: string;
  readonly text: string;
}

/**
 * Waits until the lock is free or its holder is dead, and takes it.
 *
 * @throws StoreError `locked` as soon as the holder touches it
 * @throws Error of a system call that failed, or the reason of the signal
 */
export async function takeLock(
  directory: string,
  { calls, signal, touchMs }: LockOptions,
): Promise<Lock> {
  const run = <T>(work: () => Promise<T>) => calls.run('storage', directory, work);
  const text = `${JSON.stringify({ id: randomUUID(), pid: process.pid, host: hostname() })}\n`;
  let seen = await run(() => look(directory));
  let sinceMs = performance.now();
  for (;;) {
    const now = await run(() => look(directory));
    const isSame = now.number === seen.number;
    if (isSame && now.modifiedAtMs !== seen.modifiedAtMs) throw lockedError(directory, now.text);
    if (!isSame) sinceMs = performance.now();
    seen = now;
    if (now.number === 0 || performance.now() - sinceMs >= silentTouches * touchMs) {
      const path = await run(() => takeNumber(directory, now.number, text));
      if (path !== null) return { path, text };
    }
    await delay(touchMs / 10, undefined, { signal });
  }
}

/** Touches a lock that is held. Resolves with the text of its new holder when it is lost, else with `null`. */
export async function touchLock({ path, text }: Lock): Promise<string | null> {
  try {
    const present = await touchFile(path, text);
    return present === text ? null : present;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Removes a lock that is held. It is synchronous, so that it works at the exit of the process too. */
export function releaseLock({ path, text }: Lock): void {
  if (readFileSync(path, 'utf8') === text) unlinkSync(path);
}

/** @param holder the text of the lock of another process; empty when it is not known */
export function lockedError(directory: string, holder: string): StoreError {
  const [, pid, host] = /"pid":(\d+),"host":"([^"]*)"/.exec(holder) ?? [];
  const who = pid === undefined ? 'another daemon' : `process ${pid} on host ${host ?? ''}`;
  const message = `the storage directory ${directory} is in use by ${who}; stop that daemon, or use another directory`;
  return new StoreError('locked', message);
}

/** The present lock; the number is 0 when there is none. */
async function look(directory: string) {
  const number = Math.max(0, ...(await numbersIn(directory)));
  try {
    if (number > 0) return { number, ...(await readText(join(directory, `lock.${number}`))) };
  } catch (error) {
    // Its holder has just released it.
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return { number: 0, text: '', modifiedAtMs: 0 };
}

/** @returns the path of our lock; `null` when another newcomer was faster */
async function takeNumber(directory: string, dead: number, text: string) {
  const path = join(directory, `lock.${dead + 1}`);
  if (!(await createText(path, text))) return null;
  const others = (await numbersIn(directory)).filter((number) => number !== dead + 1);
  // Another newcomer found no lock while this one waited for the end of a dead one, or the other way round.
  const isAlone = others.every((number) => number === dead);
  for (const number of isAlone ? others : [dead + 1])
    await unlink(join(directory, `lock.${number}`));
  return isAlone ? path : null;
}

async function numbersIn(directory: string): Promise<readonly number[]> {
  const names = await readdir(directory);
  return names.flatMap((name) => /^lock\.(\d{1,15})$/.exec(name)?.[1] ?? []).map(Number);
}
