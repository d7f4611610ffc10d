/** What the program needs at run time, as the lock file names it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { productionPackages } from '../support/production-packages.ts';

const lock: { packages: Record<string, { integrity?: string; link?: boolean }> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8'),
);

/** Licences that allow a program of any licence, also a closed one, to contain the package. */
const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

test('every package of the lock file has a checksum that npm checks at the installation', () => {
  const installed = Object.entries(lock.packages).filter(([path]) => path !== '');
  const unchecked = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(unchecked.map(([path]) => path)).toEqual([]);
});

describe.each(productionPackages())('$name, which the program needs at run time,', (dependency) => {
  test('has a licence that is allowed', () => {
    expect(allowed).toContain(dependency.license);
  });

  test('runs no script at the installation', () => {
    expect(dependency.hasInstallScript).toBe(false);
  });
});
