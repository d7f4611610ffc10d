/** How long a stop waits for a storage that is slow or hangs. All of it ends within the 8 s of a stop. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** How long a stop may take to store records and to give up the lock. */
export const maxStoringMs = 5_000;

/** How long a start may go on after the signal to stop, so that one on a good disk ends as it should. */
const maxStartingMs = 1_000;

/**
 * The result of a part of a start that needs the storage. When the signal was aborted a while ago,
 * rejects with its reason. The part may then go on, and nobody learns how it ends.
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
