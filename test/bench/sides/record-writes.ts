/**
 * The two calls to the file system without which no record is replaced durably, ten records at a time. Argument:
 * the text of a record, a directory, and how many writes. Answers a message with the CPU time of one.
 */
import { join } from 'node:path';
import { nodeFileSystem } from '../../../src/state/file-system.ts';
import { announceReady, argument, cpuOf, limited, reply } from './side.ts';

const { text, directory, writes } = argument() as {
  text: string;
  directory: string;
  writes: number;
};

const write = limited(10, async (name: string) => {
  const path = join(directory, name);
  await nodeFileSystem.write(`${path}.tmp`, text);
  await nodeFileSystem.rename(`${path}.tmp`, path);
});

reply(() =>
  cpuOf(writes, () => Promise.all(Array.from({ length: writes }, (_, i) => write(`${i}.json`)))),
);
announceReady();
