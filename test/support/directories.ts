/** Temporary directories and files. They are removed at the end of the test. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty directory. It is removed with its content when the test has finished. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'cvm-quota-monitor-'));
  // A process or a thread that ends may write a last file meanwhile.
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));
  return directory;
}

/** A file with this text in a directory of its own. It is removed when the test has finished. */
export async function temporaryFile(name: string, text: string | Uint8Array): Promise<string> {
  const file = join(await temporaryDirectory(), name);
  await writeFile(file, text);
  return file;
}
