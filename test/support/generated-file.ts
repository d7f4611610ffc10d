import { readFile, writeFile } from 'node:fs/promises';
import { format } from 'oxfmt';
import { expect } from 'vitest';
import style from '../../.oxfmtrc.json' with { type: 'json' };

/**
 * Expects that a committed file equals the output of its generator, formatted.
 * `npm run generate` sets `UPDATE=1`, which writes the file instead.
 *
 * @param path from the root of the repository
 */
export async function expectGenerated(path: string, text: string): Promise<void> {
  const { code: formatted } = await format(path, text, style);
  await expectWritten(path, formatted);
}

/** The same for a file that is not formatted. */
export async function expectWritten(path: string, text: string): Promise<void> {
  if (process.env.UPDATE === '1') await writeFile(path, text);
  const committed = await readFile(path, 'utf8').catch(() => '');
  expect(committed, `${path} is out of date; run npm run generate`).toBe(text);
}
