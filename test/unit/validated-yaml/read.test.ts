import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InvalidFileError } from '../../../src/validated-yaml/problem.ts';
import { parseYaml } from '../../../src/validated-yaml/read.ts';

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

describe('a YAML text', () => {
  it.each([
    ['a list as a key', 'a:\n  [b]: 1', '2:3: a key must be a text'],
    ['a binary value as a key', 'a: 1\n!!binary eA==: 1', '2:10: a key must be a text'],
    ['an alias as a key', '&a b: 1\n*a : 2', '2:1: a key must be a text'],
    ['keys of keys, which would take for ever', '? '.repeat(500), '1:3: a key must be a text'],
    [
      'a hundred lists within each other',
      '['.repeat(100) + ']'.repeat(100),
      '1:65: is nested too deeply',
    ],
  ])('is refused at the place of %s', (_what, text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  it('is refused when lists within each other exhaust the stack of its reader', () => {
    expect(problemsOf('['.repeat(100_000))).not.toEqual([]);
  });

  it('is refused when its aliases stand for ever more', () => {
    const list = (value: string) => `[${Array.from({ length: 9 }, () => value).join(', ')}]`;
    const lines = Array.from(
      { length: 9 },
      (_, i) => `a${i}: &a${i} ${list(i === 0 ? 'x' : `*a${i - 1}`)}`,
    );

    expect(problemsOf(lines.join('\n'))).toEqual([
      expect.stringContaining('1:1: Excessive alias count'),
    ]);
  });

  it('may nest as deep as any file of ours', () => {
    expect(problemsOf('['.repeat(30) + ']'.repeat(30))).toEqual([]);
  });
});
