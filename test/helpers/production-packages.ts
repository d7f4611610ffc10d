/** The packages that are installed for the program to run, without those of development. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ProductionPackage {
  readonly name: string;
  readonly version: string;
  /** As in SPDX. */
  readonly license: string;
  readonly hasInstallScript: boolean;
}

interface LockedPackage {
  readonly version: string;
  readonly license: string;
  readonly hasInstallScript?: true;
  readonly dev?: true;
  readonly devOptional?: true;
}

/** From the lock file, sorted by name. */
export function productionPackages(): readonly ProductionPackage[] {
  const file = join(import.meta.dirname, '../../package-lock.json');
  const lock: { packages: Record<string, LockedPackage> } = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries(lock.packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path, { version, license, hasInstallScript }]) => {
      const name = path.replace(/.*node_modules\//, '');
      return { name, version, license, hasInstallScript: hasInstallScript === true };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
