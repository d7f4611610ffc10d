import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from './directories.ts';
import { mainFile } from './program.ts';

const present = 'usualTouchMs = 3e3';

/**
 * A copy of the program whose lock is touched every 100 ms in place of every 3 s: the next daemon sees after 300 ms that
 * the last one is dead.
 *
 * @throws when the program names that time in another way
 */
export async function quickLockProgram(): Promise<string> {
  const directory = await temporaryDirectory();
  const copy = join(directory, 'dist');
  const isCode = (path: string) => !/\.(?:map|d\.ts)$/.test(path);
  await cp(dirname(mainFile), copy, { recursive: true, filter: isCode });
  await cp(join(dirname(mainFile), '../package.json'), join(directory, 'package.json'));
  for (const name of await readdir(join(copy, 'chunks'))) {
    const path = join(copy, 'chunks', name);
    const text = await readFile(path, 'utf8');
    if (!text.includes(present)) continue;
    await writeFile(path, text.replace(present, 'usualTouchMs = 100'));
    return join(copy, 'main.js');
  }
  throw new Error(`${mainFile} has no ${present}`);
}
