import { readFile, writeFile } from 'node:fs/promises';
import { expect } from 'vitest';

/**
 * Expects a committed file to be what its generator gives. `npm run generate` sets `UPDATE=1`, which
 * writes the file instead.
 *
 * @param path from the root of the repository
 */
export async function expectGenerated(path: string, text: string): Promise<void> {
  const url = new URL(`../../${path}`, import.meta.url);
  if (process.env.UPDATE === '1') await writeFile(url, text);
  const committed = await readFile(url, 'utf8').catch(() => '');
  expect(committed, `${path} is out of date; run npm run generate`).toBe(text);
}
