/** Writes a file that must not exist. */
import { randomUUID } from 'node:crypto';
import { link, lstat, open, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, messageOf } from '../../../model/errors.ts';
import { UsageError } from '../usage-error.ts';

/** @throws UsageError when something has the name, also a broken link, or when the directory cannot be used */
export async function refuseExisting(file: string): Promise<void> {
  const exists = await lstat(file).then(
    () => true,
    () => false,
  );
  if (exists) throw alreadyThere(file);
  const directory = dirname(file);
  try {
    if ((await stat(directory)).isDirectory()) return;
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${messageOf(error)}`);
  }
  throw new UsageError(`${file} cannot be written: ${directory} is no directory`);
}

/**
 * Writes the whole file or nothing: the text is first stored under another name. A link cannot replace a file,
 * as a rename would.
 *
 * @throws UsageError when it cannot be written, or when something has the name by now
 */
export async function writeNewFile(file: string, text: string): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`);
  try {
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(temporary, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw alreadyThere(file);
    throw new UsageError(`${file} cannot be written: ${messageOf(error)}`);
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

function alreadyThere(file: string): UsageError {
  return new UsageError(
    `${file} is there already, and init never overwrites: choose another name with --config.file`,
  );
}
