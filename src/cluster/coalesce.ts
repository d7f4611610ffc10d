/**
 * Returns a function that runs `work`, one run at a time. Calls made during a run share one further run, which begins
 * when the run under way has ended. So the run of a call begins after that call, and sees what its caller did before.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let isNextWaiting = false;
  const begin = () => {
    isNextWaiting = false;
    return work();
  };
  return () => {
    if (!isNextWaiting) {
      isNextWaiting = true;
      last = last.then(begin, begin);
    }
    return last;
  };
}
