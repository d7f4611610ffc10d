/** Files that were made to keep a reader busy: each is answered, with a bounded number of problems. */
import { expect, test } from 'vitest';
import { temporaryFile } from '../support/directories.ts';
import { runHere } from '../support/in-process.ts';

const many = 20_000;
const account = 'accounts: [{ name: a, regions: [ap-seoul] }]\n';
const keys = (indent: string) =>
  Array.from({ length: many }, (_, i) => `${indent}key_${i}: 1\n`).join('');

// A reader whose time grows with the square of the file takes minutes.
const timeoutMs = 30_000;

test.each([
  ['duplicate keys', account + 'poll: {}\n'.repeat(many + 1), many],
  ['unknown keys', account + keys(''), many],
  [
    'unknown keys in an account',
    `accounts:\n  - name: a\n    regions: [ap-seoul]\n${keys('    ')}`,
    many,
  ],
])(
  '%s are counted beyond the first hundred',
  async (_what, text, count) => {
    const file = await temporaryFile('config.yaml', text);

    const { code, stderr } = await runHere(['check-config', `--config.file=${file}`]);

    const lines = stderr.trimEnd().split('\n');
    expect(code).toBe(1);
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe(`${file}: and ${(count - 100).toLocaleString('en-GB')} more`);
  },
  timeoutMs,
);
