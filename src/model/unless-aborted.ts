/**
 * Waits for work that cannot be aborted, such as reading standard input: resolves or rejects as `work` does, but no later
 * than the signal aborts. The work then goes on in the background, and its result is lost.
 *
 * @throws the reason of the signal; Error `aborted` if the reason is no error
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
