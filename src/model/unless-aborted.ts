/**
 * Waits for work that does not know the signal. Rejects with the reason of the signal as soon as it aborts, or
 * with the error `aborted` if the reason is no error. The work may then go on in the background.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    const ended = () => {
      signal.removeEventListener('abort', abort);
      resolve(work);
    };
    void work.then(ended, ended);
  });
}
