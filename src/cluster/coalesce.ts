/**
 * Makes `work` shareable. A call joins the next run, which begins when the run under way has ended. So
 * the run sees everything that its caller did before the call.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let isWaiting = false;
  const begin = () => {
    isWaiting = false;
    return work();
  };
  return () => {
    if (!isWaiting) {
      isWaiting = true;
      last = last.then(begin, begin);
    }
    return last;
  };
}
