import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A message to the thread. Its answer is whether they belong together. */
export interface Comparison {
  readonly password: string;
  readonly hash: string;
}

const workerFile = new URL('./bcrypt-worker.js', import.meta.url);

/**
 * Compares a password with a bcrypt hash on a thread of its own, which takes some 50 ms longer. The threads of Node.js
 * must stay free: storage, host names and compression need them. Rejects if the thread fails.
 *
 * @param file the built code of the thread
 */
export async function compareInThread(
  password: string,
  hash: string,
  file = workerFile,
): Promise<boolean> {
  const comparison: Comparison = { password, hash };
  const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };
  const worker = new Worker(file, { resourceLimits });
  worker.unref();
  worker.postMessage(comparison);
  return (await once(worker, 'message')).at(0) === true;
}
