import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from './directories.ts';
import { mainFile } from './program.ts';

/** The times that differ: the touch of the lock, and the bound of a call, which a busy machine may exceed. */
const replacements = [
  ['usualTouchMs = 3e3', 'usualTouchMs = 100'],
  ['maxCallMs = 2e3', 'maxCallMs = 6e4'],
] as const;

/**
 * A copy of the program whose lock is touched every 100 ms in place of every 3 s: the next daemon sees after 300 ms that
 * the last one is dead.
 *
 * @throws when the program names those times in another way
 */
export async function quickLockProgram(): Promise<string> {
  const directory = await temporaryDirectory();
  const copy = join(directory, 'dist');
  const isCode = (path: string) => !/\.(?:map|d\.ts)$/.test(path);
  await cp(dirname(mainFile), copy, { recursive: true, filter: isCode });
  await cp(join(dirname(mainFile), '../package.json'), join(directory, 'package.json'));
  const names = await readdir(join(copy, 'chunks'));
  const paths = names.map((name) => join(copy, 'chunks', name));
  for (const [present, next] of replacements) {
    const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
    const index = texts.findIndex((text) => text.includes(present));
    if (index === -1) throw new Error(`${mainFile} has no ${present}`);
    await writeFile(paths[index]!, texts[index]!.replace(present, next));
  }
  return join(copy, 'main.js');
}
