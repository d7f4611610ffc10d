/** Runs code with the rights of another user. As root, tests of permissions would always pass. */

import { isMainThread } from 'node:worker_threads';

export const isRoot = process.getuid?.() === 0;

/** Whether {@link asNobody} has an effect. The threads of a mutation run cannot change their user. */
export const canBeNobody = !isRoot || isMainThread;

/** Runs code as a user that owns nothing. Without root, it runs as the present user. */
export async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (!isRoot) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
