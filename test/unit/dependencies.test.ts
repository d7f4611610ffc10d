/** What the program needs at run time, as the lock file names it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { productionPackages } from '../support/production-packages.ts';

interface Locked {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

const lockOf = (path: string): readonly (readonly [string, Locked])[] => {
  const text = readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
  const { packages }: { packages: Record<string, Locked> } = JSON.parse(text);
  return Object.entries(packages).filter(([name]) => name !== '');
};

/** Licences that allow a program of any licence, also a closed one, to contain the package. */
const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

test.each(['package-lock.json', '.config/tools/package-lock.json'])(
  'every package of %s has a checksum that npm checks at the installation, and no address',
  (path) => {
    const wrong = lockOf(path).filter(
      ([, { integrity, resolved }]) => !integrity?.startsWith('sha512-') || resolved !== undefined,
    );

    expect(wrong.map(([name]) => name)).toEqual([]);
  },
);

test('npm ci installs at most 200 packages on Linux', () => {
  const installed = lockOf('package-lock.json').filter(
    ([, { os = ['linux'], cpu = ['x64'], libc = ['glibc'] }]) =>
      os.includes('linux') && cpu.includes('x64') && libc.includes('glibc'),
  );

  expect(installed.length).toBeLessThanOrEqual(200);
});

describe.each(productionPackages())('$name, which the program needs at run time,', (dependency) => {
  test('has a licence that is allowed', () => {
    expect(allowed).toContain(dependency.license);
  });

  test('runs no script at the installation', () => {
    expect(dependency.hasInstallScript).toBe(false);
  });
});
