import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { expect } from 'vitest';

/**
 * Expects a committed file to be what its generator gives, formatted as the repository is.
 * `npm run generate` sets `UPDATE=1`, which writes the file instead.
 *
 * @param path from the root of the repository
 */
export async function expectGenerated(path: string, text: string): Promise<void> {
  const formatted = await format(text, { ...(await resolveConfig(path)), filepath: path });
  if (process.env.UPDATE === '1') await writeFile(path, formatted);
  const committed = await readFile(path, 'utf8').catch(() => '');
  expect(committed, `${path} is out of date; run npm run generate`).toBe(formatted);
}
