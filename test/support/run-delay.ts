import { readFileSync } from 'node:fs';

/**
 * How long a thread was ready to run while the machine ran others, in milliseconds (`sched(7)` of Linux).
 *
 * @param task its directory in /proc: the number of a process for its main thread
 */
export function runDelayMs(task: number | 'thread-self'): number {
  const [, waitedNs] = readFileSync(`/proc/${task}/schedstat`, 'utf8').split(' ');
  return Number(waitedNs) / 1e6;
}
