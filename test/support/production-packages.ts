/**
 * The packages that the program needs to run: its dependencies, and the libraries in its bundle that are
 * dependencies of development.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ProductionPackage {
  readonly name: string;
  readonly version: string;
  /** As in SPDX. */
  readonly license: string;
  readonly hasInstallScript: boolean;
  /** Where it is installed, relative to the repository. */
  readonly path: string;
}

interface LockedPackage {
  readonly version: string;
  readonly license: string;
  readonly hasInstallScript?: true;
  readonly dev?: true;
  readonly devOptional?: true;
  readonly dependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, LockedPackage>>;

const repository = join(import.meta.dirname, '../..');

/** The libraries that only a cluster needs. They are in a file of the bundle that only a cluster loads. */
const bundled = ['bullmq', 'ioredis'];

/** From the lock file of the repository, sorted by name. */
export function productionPackages(root = repository): readonly ProductionPackage[] {
  const file = join(root, 'package-lock.json');
  const { packages: lock }: { packages: Lock } = JSON.parse(readFileSync(file, 'utf8'));
  const paths = new Set(
    Object.entries(lock).flatMap(([path, { dev, devOptional }]) =>
      path !== '' && !dev && !devOptional ? [path] : [],
    ),
  );
  for (const name of bundled) addWithDependencies(lock, installedFor(lock, '', name), paths);
  return [...paths]
    .map((path) => {
      const { version, license, hasInstallScript } = lock[path]!;
      const name = path.replace(/.*node_modules\//, '');
      return { name, version, license, hasInstallScript: hasInstallScript === true, path };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** What is optional is left out, as by the bundle. */
function addWithDependencies(lock: Lock, path: string, paths: Set<string>): void {
  if (paths.has(path)) return;
  paths.add(path);
  for (const name of Object.keys(lock[path]?.dependencies ?? {})) {
    addWithDependencies(lock, installedFor(lock, path, name), paths);
  }
}

/** Where the package that requires `name` finds it, as Node.js looks for it. */
function installedFor(lock: Lock, path: string, name: string): string {
  const here = `${path === '' ? '' : `${path}/`}node_modules/${name}`;
  if (here in lock) return here;
  if (path === '') throw new Error(`the lock file has no ${name}`);
  return installedFor(lock, path.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, ''), name);
}
