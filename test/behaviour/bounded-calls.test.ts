import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { BoundedCalls } from '../../src/bounded-calls.ts';

test('a call of a process that stands still for longer than a call may take does not hang', async () => {
  const calls = new BoundedCalls({ timeoutMs: 1_000 });

  const called = calls.run('storage', 'file', async () => {
    for (let n = 0; n < 3; n += 1) await readFile(import.meta.filename);
    return 'done';
  });
  await Promise.resolve();
  const untilMs = performance.now() + 1_500;
  while (performance.now() < untilMs);

  expect(await called).toBe('done');
});
