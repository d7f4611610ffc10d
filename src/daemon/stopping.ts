/** How long a stop waits for a storage that is slow or hangs. All of it ends within the 8 s of a stop. */

/** How long a stop may take to store records and to give up the lock. */
export const maxStoringMs = 5_000;

/** How long a start may go on after the signal to stop, so that one on a good disk ends as it should. */
const maxStartingMs = 1_000;

/**
 * The result of a part of a start that needs the storage. When the signal was aborted a while ago,
 * rejects with its reason. The part may then go on, and nobody learns how it ends.
 */
export function unlessStopped<T>(part: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = new Promise<never>((_, reject) => {
    const wait = () => {
      setTimeout(() => {
        reject(signal.reason as Error);
      }, maxStartingMs).unref();
    };
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });
  return Promise.race([part, stopped]);
}
