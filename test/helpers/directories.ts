/** Temporary directories. They are removed at the end of the test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty directory. It is removed with its content when the test has finished. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'cvm-quota-monitor-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
