/** Copies of this repository. */
import { cp, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const isSource = (path: string) =>
  !path.endsWith('/node_modules') &&
  !['.git', 'dist', 'data', 'coverage'].includes(relative(root, path));

/** A clone with its packages, in which nothing is built. */
export async function copyOfSource(directory: string): Promise<string> {
  const copy = join(directory, 'source');
  await cp(root, copy, { recursive: true, filter: isSource });
  for (const folder of ['node_modules', '.config/tools/node_modules']) {
    await symlink(join(root, folder), join(copy, folder));
  }
  return copy;
}
