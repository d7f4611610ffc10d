import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runProgram } from '../support/run-program.ts';

const repository = join(import.meta.dirname, '../..');

let bill: {
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly licenses: readonly { readonly license: { readonly id: string } }[];
  }[];
};

beforeAll(async () => {
  bill = JSON.parse(await runProgram('npm', ['run', '--silent', 'sbom'], {}, repository));
});

test('the bill of materials names every dependency, and nothing of development', async () => {
  const text = await readFile(join(repository, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  const names = bill.components.map(({ name }) => name);

  expect(bill).toMatchObject({ bomFormat: 'CycloneDX' });
  expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  expect(names).not.toContain('vitest');
  for (const component of bill.components) {
    expect(component).toMatchObject({ hashes: [expect.anything()] });
  }
});

test('every licence of the bill of materials is allowed in a program of any licence, also a closed one', () => {
  const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];
  const licences = bill.components.map(({ licenses }) => licenses.map(({ license }) => license.id));

  expect(licences.filter(([id = '']) => !allowed.includes(id))).toEqual([]);
});

test('every library whose code is in the bundle is in the bill of materials', async () => {
  const text = await readFile(join(repository, 'dist/licenses.txt'), 'utf8');
  const inBundle = [...text.matchAll(/(?:^|\n-{80}\n\n)(\S+ \d+\.\d+\.\d+\S*)\n\n/g)].map(
    ([, library]) => library,
  );

  expect(inBundle.join()).toMatch(/bullmq .*ioredis /);
  const listed = bill.components.map(({ name, version }) => `${name} ${version}`);
  expect(listed).toEqual(expect.arrayContaining(inBundle));
});
