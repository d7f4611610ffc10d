import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { productionPackages } from '../support/production-packages.ts';
import { runProgram } from '../support/run-program.ts';

const repository = join(import.meta.dirname, '../..');

test('the bill of materials lists exactly what the program needs at run time', async () => {
  const output = await runProgram('npm', ['run', '--silent', 'sbom'], {}, repository);
  const bill: {
    bomFormat: string;
    components: { name: string; version: string; hashes: unknown[]; licenses: unknown[] }[];
  } = JSON.parse(output);

  expect(bill.bomFormat).toBe('CycloneDX');
  expect(bill.components.map(({ name, version }) => `${name} ${version}`).toSorted()).toEqual(
    productionPackages().map(({ name, version }) => `${name} ${version}`),
  );
  for (const { hashes, licenses } of bill.components) {
    expect([hashes.length, licenses.length]).toEqual([1, 1]);
  }
});

test('every library whose code is in the bundle is in the bill of materials, with its licence', async () => {
  const text = await readFile(join(repository, 'dist/licenses.txt'), 'utf8');
  const inBundle = [...text.matchAll(/(?:^|\n-{80}\n\n)(\S+ \d+\.\d+\.\d+\S*)\n\n/g)].map(
    ([, library]) => library,
  );
  const listed = new Set(productionPackages().map(({ name, version }) => `${name} ${version}`));

  expect(inBundle).toEqual(expect.arrayContaining([expect.stringMatching(/^bullmq /)]));
  expect(inBundle).toEqual(expect.arrayContaining([expect.stringMatching(/^ioredis /)]));
  expect(inBundle.filter((library = '') => !listed.has(library))).toEqual([]);
});
