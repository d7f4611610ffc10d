import { expect, it } from 'vitest';
import { z } from 'zod';
import { InvalidFileError } from '../../../src/validation/problem.ts';
import { parseYaml, readYamlFile } from '../../../src/validation/read-yaml.ts';
import { temporaryFile } from '../../support/directories.ts';

/** The problems of a text that may hold anything, each as `line:column: path: message`. */
function problemsOf(text: string): string[] {
  try {
    parseYaml(text, 'f', z.unknown());
  } catch (error) {
    if (error instanceof InvalidFileError) return error.message.replaceAll('f:', '').split('\n');
    throw error;
  }
  return [];
}

it.each([
  ['a list as a key', 'a:\n  [b]: 1', '2:3: a key must be a text'],
  ['a binary value as a key', 'a: 1\n!!binary eA==: 1', '2:10: a key must be a text'],
  ['an alias as a key', '&a b: 1\n*a : 2', '2:1: a key must be a text'],
  [
    'a key of the same text as a number before it',
    '1: a\n"1": b',
    '2:1: this key appears twice in the same map',
  ],
  ['keys of keys, which would take for ever', '? '.repeat(500), '1:3: a key must be a text'],
  [
    'a hundred lists within each other',
    '['.repeat(100) + ']'.repeat(100),
    '1:65: is nested too deeply',
  ],
  // Before it is parsed, which would take minutes.
  ['maps without end', '{a: '.repeat(250_000), '1:4001: is nested too deeply'],
  ['lists without end in one line', '- '.repeat(500_000), '1:1: is nested too deeply'],
])('a YAML text is refused at the place of %s', (_what, text, problem) => {
  expect(problemsOf(text)).toEqual([problem]);
});

it('a YAML text is refused when its aliases multiply without end', () => {
  const list = (value: string) => `[${Array.from({ length: 9 }, () => value).join(', ')}]`;
  const lines = Array.from(
    { length: 9 },
    (_, i) => `a${i}: &a${i} ${list(i === 0 ? 'x' : `*a${i - 1}`)}`,
  );

  expect(problemsOf(lines.join('\n'))).toEqual([
    expect.stringContaining('1:1: Excessive alias count'),
  ]);
});

it('a YAML text may nest as deep as any file of ours', () => {
  expect(problemsOf('['.repeat(30) + ']'.repeat(30))).toEqual([]);
});

const text = 'a: 1\nb: ä\n';
const utf16 = Buffer.from(text, 'utf16le');
const mark = (...bytes: number[]) => Buffer.from(bytes);

async function problemsOfFile(bytes: Buffer): Promise<string[]> {
  const file = await temporaryFile('f', bytes);
  const error: unknown = await readYamlFile(file, z.unknown()).catch((caught: unknown) => caught);
  return error instanceof InvalidFileError
    ? error.message.replaceAll(`${file}:`, '').split('\n')
    : [];
}

it.each([
  ['UTF-16 with a mark', Buffer.concat([mark(0xff, 0xfe), utf16]), 'UTF-16'],
  ['UTF-16, the larger byte first', Buffer.concat([mark(0xff, 0xfe), utf16]).swap16(), 'UTF-16'],
  ['UTF-16 without a mark', utf16, 'UTF-16'],
  ['UTF-32', mark(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0), 'UTF-32'],
  ['UTF-32, the larger byte first', mark(0, 0, 0xfe, 0xff, 0, 0, 0, 0x61), 'UTF-32'],
])('a file of %s is named as such', async (_what, bytes, encoding) => {
  expect(await problemsOfFile(bytes)).toEqual([`1:1: the file is ${encoding}: save it as UTF-8`]);
});

it.each([
  ['2:4', 'Latin-1', Buffer.from(text, 'latin1')],
  ['2:2', 'a zero byte', Buffer.from('a: 1\n\uFFFD\0')],
])('a file is refused at %s, its first byte that is no UTF-8: %s', async (place, _what, bytes) => {
  expect(await problemsOfFile(bytes)).toEqual([
    `${place}: the file is not UTF-8 from here on: save it as UTF-8`,
  ]);
});

it('a file has at most 1 MiB', async () => {
  const largest = Buffer.alloc(1024 * 1024, '#');

  expect(await problemsOfFile(largest)).toEqual([]);
  expect(await problemsOfFile(Buffer.concat([largest, mark(0x23)]))).toEqual([
    ' the file is larger than 1 MiB',
  ]);
});

it('a file of UTF-8 may have a replacement character', async () => {
  const file = await temporaryFile('f', 'a: \uFFFD');

  await expect(readYamlFile(file, z.unknown())).resolves.toEqual({ a: '\uFFFD' });
});

it('a file of UTF-8 may begin with a mark', async () => {
  const file = await temporaryFile('f', `\uFEFF${text}`);

  await expect(readYamlFile(file, z.unknown())).resolves.toEqual({ a: 1, b: 'ä' });
});
