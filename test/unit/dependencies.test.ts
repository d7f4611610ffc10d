/** What the program needs at run time, as the lock file names it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

type Locked = Partial<
  Record<'integrity' | 'resolved', string> &
    Record<'os' | 'cpu' | 'libc', readonly string[]> &
    Record<'dev' | 'devOptional' | 'hasInstallScript', true>
>;

const lockOf = (path: string): readonly (readonly [string, Locked])[] => {
  const text = readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
  const { packages }: { packages: Record<string, Locked> } = JSON.parse(text);
  return Object.entries(packages).filter(([name]) => name !== '');
};

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

test('no package that is needed at run time runs a script at the installation', () => {
  const scripts = lockOf('package-lock.json').filter(
    ([, { dev, devOptional, hasInstallScript }]) => hasInstallScript && !dev && !devOptional,
  );

  expect(scripts).toEqual([]);
});
