/** What `npm ci --omit=dev` installs, and the libraries of a cluster, whose code is in the bundle. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { productionPackages } from '../../support/production-packages.ts';
import type { Measurement } from '../harness.ts';
import { root } from '../workbench.ts';

export const installSize: Measurement = {
  name: 'install-size',
  async run() {
    const packages = productionPackages(root);
    const sizes = await Promise.all(packages.map(({ path }) => sizeOf(join(root, path))));
    const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
    return [
      {
        what: 'production dependencies, size',
        ours: `${megabytes.toFixed(1)} MB`,
        beside: '',
        values: [megabytes],
        goal: { bound: 'at most', value: 35, unit: 'MB' },
      },
      {
        what: 'production dependencies, count',
        ours: String(packages.length),
        beside: '',
        values: [packages.length],
        goal: { bound: 'at most', value: 40, unit: 'packages' },
      },
    ];
  },
};

/** Bytes of a package's own files; packages within it are counted by themselves. */
async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true });
  const sizes = entries
    .filter(({ name }) => name !== 'node_modules')
    .map(async (entry) => {
      const path = join(directory, entry.name);
      return entry.isDirectory() ? sizeOf(path) : (await stat(path)).size;
    });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
