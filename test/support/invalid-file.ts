import { expect } from 'vitest';
import { InvalidFileError } from '../../src/validation/problem.ts';

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
