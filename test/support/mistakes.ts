/** Tests of texts with mistakes, as a fixture lists them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { InvalidFileError } from '../../src/validation/problem.ts';

/**
 * One test for each text of a fixture. A text follows a line `--- # WHAT`. The lines `# LINE:COLUMN: PATH: MESSAGE` at
 * its end are its exact problems; a text without them is accepted.
 *
 * @param read throws {@link InvalidFileError}
 */
export function testMistakes(fixture: string, read: (text: string) => unknown): void {
  const all = readFileSync(new URL(`./fixtures/${fixture}`, import.meta.url), 'utf8');
  const cases = all.split(/^--- # /m).slice(1);
  test.each(
    cases.map((each) => {
      const [what = '', ...lines] = each.trimEnd().split('\n');
      const end = lines.findLastIndex((line) => !line.startsWith('# ')) + 1;
      return {
        what,
        text: lines.slice(0, end).join('\n'),
        problems: lines.slice(end).map((line) => line.slice('# '.length)),
      };
    }),
  )(`${fixture}, $what: $problems`, async ({ text, problems }) => {
    expect(await problemsOf(() => read(text))).toEqual(problems);
  });
}

/** Each as `line:column: path: message`. */
async function problemsOf(read: () => unknown): Promise<readonly string[]> {
  try {
    await read();
    return [];
  } catch (error) {
    if (!(error instanceof InvalidFileError)) throw error;
    return error.problems.map(({ line, column, path, message }) =>
      [`${line}:${column}`, path, message].filter(Boolean).join(': '),
    );
  }
}
