/**
 * The two calls to the file system without which no record is replaced durably, ten records at a time. Argument:
 * the text of a record, a directory, and how many writes. Answers a message with the cost of one.
 */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { writeText } from '../../../src/state/disk.ts';
import { announceReady, argument, calling, replyWithCost } from './side.ts';

const { text, directory, writes } = argument() as {
  text: string;
  directory: string;
  writes: number;
};

replyWithCost(
  writes,
  calling(writes, async (number) => {
    const path = join(directory, `${number}.json`);
    await writeText(`${path}.tmp`, text);
    await rename(`${path}.tmp`, path);
  }),
);
announceReady();
