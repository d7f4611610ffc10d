/** The rights of other users, for tests that root would pass whatever the code does. */

export const isRoot = process.getuid?.() === 0;

/** Does something with the rights of a user that owns nothing; with our own where we are not root. */
export async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (!isRoot) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
