/** SIGINT ends a command also while a file never answers. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/directories.ts';
import { namedPipe } from '../support/named-pipe.ts';
import { start } from '../support/program.ts';

test.each(['check-config', 'check', 'print-policy', 'check-web-config'])(
  'SIGINT ends %s with 130',
  async (command) => {
    const pipe = join(await temporaryDirectory(), 'pipe');
    await namedPipe(pipe);
    const flags = command === 'check-web-config' ? [pipe] : [`--config.file=${pipe}`];

    const { result, signal } = await start(command, { flags });
    const timer = setInterval(() => {
      signal('SIGINT');
    }, 300);
    const { code, stdout } = await result;
    clearInterval(timer);

    // Before the first line of the program, Node.js itself ends without a code.
    expect([130, null]).toContain(code);
    expect(stdout).toBe('');
  },
);
