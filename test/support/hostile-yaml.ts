/** YAML that is almost valid, or dangerous for a reader. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { InvalidFileError } from '../../src/validation/problem.ts';
import { arbitraryText, mutatedText } from './mutations.ts';

const tokens = [
  ...['&a ', '*a', '*unknown', '&a [*a]', '<<: *a', '<<: {x: 1}', '<<: [*a, *a]', '&a &b ', '&'],
  ...['!!binary ', '!!timestamp ', '!!set ', '!!omap ', '!!js/function ', '!!int ', '!x ', '!<x> '],
  ...['__proto__: ', 'constructor: ', 'toString', '? ', '? [a, b]\n: ', ': ', '- ', '{', '[', ']}'],
  ...['.inf', '-.inf', '.nan', '-0', '0x7fffffffffffffffff', '1e999', '99999999999999999999999'],
  ...['~', 'null', 'true', 'yes', '2001-01-01', "''", '""', '"\\u0000"', '"\\ud800"', '"\\x', "'"],
  ...['\t', '\r', '\n', '\n\n', '\n ', '\u2028', '\ufeff', '\0'],
  ...['|', '>-\n', '# ', '---\n', '...\n'],
  ...['%YAML 1.1\n---\n', '%YAML 9.9\n---\n', '%TAG ! x\n---\n', '%', '@', '`'],
  ...['61 * * * *', '* * 31 2 *', '1h', '-1s', '99999999d', '1.5h', 'http://[', 'https://{x}'],
];

const headings = ['', '%YAML 1.1\n---\n', '&a ', '!!omap ', '!!set ', '\ufeff', '---\n---\n'];

/** Arbitrary text, changed samples, and dangerous inputs. */
export function hostileYaml(samples: readonly string[]): fc.Arbitrary<string> {
  const parts = fc.array(fc.oneof(fc.constantFrom(...tokens), arbitraryText), { maxLength: 12 });
  const headed = fc.tuple(fc.constantFrom(...headings), fc.constantFrom(...samples));
  return fc.oneof(
    { weight: 2, arbitrary: arbitraryText },
    { weight: 3, arbitrary: parts.map((each) => each.join('')) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
    { weight: 1, arbitrary: headed.map(([heading, sample]) => heading + sample) },
    { weight: 10, arbitrary: mutatedText(samples, tokens) },
  );
}

/** Fails unless the error names at least one mistake, each with a place that exists in `text`. */
export function expectInvalidFile(error: unknown, text: string): void {
  if (!(error instanceof InvalidFileError)) throw error;
  const lines = text.split(/\r\n|\r|\n/).length;
  expect(error.problems.length).toBeGreaterThan(0);
  for (const { line, column, message } of error.problems) {
    if (line < 1 || line > lines + 1 || column < 1 || message === '') {
      throw new Error(`not a place of the text: ${line}:${column}: ${message}`, { cause: error });
    }
  }
}
