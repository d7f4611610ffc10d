import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../helpers/directories.ts';
import { openStore } from '../../helpers/file-stores.ts';
import { quotaRecord, targetsOf } from '../../helpers/records.ts';

const record = quotaRecord('ap-guangzhou');
let importStore: string;
/** Opens the directory of its argument, saves a record, tells, and waits to be killed. */
let program: string;

// Node 20 runs no TypeScript, so other processes need a built file.
beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'cvm-quota-monitor-'));
  const input = ['src/state/file-store.ts', 'src/files/bounded-calls.ts'];
  await build({ input, platform: 'node', output: { dir, entryFileNames: '[name].mjs' } });
  const urlOf = (name: string) => JSON.stringify(pathToFileURL(join(dir, name)).href);
  importStore = `
    import { openFileStore } from ${urlOf('file-store.mjs')};
    import { BoundedCalls } from ${urlOf('bounded-calls.mjs')};
    const calls = new BoundedCalls();
    const openOwnStore = () =>
      openFileStore({ directory: process.argv[1], clock: Date, calls, onLockLost() {} });
  `;
  program = `
    ${importStore}
    try {
      const store = await openOwnStore();
      await store.save(${JSON.stringify(record)});
      console.log('open');
      setInterval(() => {}, 1000);
    } catch (error) {
      console.log(error.message);
    }
  `;
  return () => rm(dir, { recursive: true });
});

function startProcess(
  directory: string,
  code = program,
): ChildProcess & { stdout: NodeJS.ReadableStream } {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

describe('two processes with one directory', () => {
  it('are kept apart: the second is refused and told the first', async () => {
    const directory = await temporaryDirectory();
    const first = startProcess(directory);
    await once(first.stdout, 'data');

    const second = startProcess(directory);

    expect(await text(second.stdout)).toContain(`in use by process ${first.pid}`);
    await expect(openStore(directory)).rejects.toMatchObject({ holder: { pid: first.pid } });
  });

  it('follow each other when the first one was killed', async () => {
    const directory = await temporaryDirectory();
    const first = startProcess(directory);
    await once(first.stdout, 'data');
    first.kill('SIGKILL');
    await once(first, 'exit');

    const store = await openStore(directory);

    expect((await store.load(targetsOf(record))).records).toEqual([record]);
    await store.close();
  });
});

describe('a process that holds a directory', () => {
  it('ends when it has nothing else to do', async () => {
    const ending = `
      ${importStore}
      await openOwnStore();
    `;

    const child = startProcess(await temporaryDirectory(), ending);

    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
