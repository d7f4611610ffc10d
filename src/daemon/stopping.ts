/** How long a stop waits for a storage that is slow or hangs. Both times together are below the 8 s of a stop. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** How long a stop may take to store records and to give up the lock. */
const maxStoringMs = 5_000;

/** How long a start may go on after the signal to stop. A start on a good disk ends in this time. */
const maxStartingMs = 1_000;

/** Waits for the end of a part of the stop, but no longer than a stop may wait for it. */
export async function orGivenUp(storing: Promise<void>): Promise<void> {
  await Promise.race([storing, delay(maxStoringMs, undefined, { ref: false })]);
}

/**
 * Waits for a part of a start that needs the storage. Gives up one second after the signal aborts, and
 * rejects with the reason of the signal. The part may go on in the background. Its result is then ignored.
 */
export async function unlessStopped<T>(part: Promise<T>, signal: AbortSignal): Promise<T> {
  if (await Promise.race([part.then(() => false), isLate(signal)])) signal.throwIfAborted();
  return part;
}

async function isLate(signal: AbortSignal): Promise<true> {
  if (!signal.aborted) await once(signal, 'abort');
  await delay(maxStartingMs, undefined, { ref: false });
  return true;
}
