/** Metrics stand in the documentation as the program has them. */
import { expect, test } from 'vitest';
import { readPages } from '../../support/docs/markdown.ts';
import { generatedParts, partsOf, regenerate } from '../../support/docs/reference.ts';
import { expectGenerated } from '../../support/generated-file.ts';

const parts = await generatedParts();
const pages = readPages().filter(({ text }) => partsOf(text).length > 0);

test.each(pages)('$path holds what the program has', async ({ path, text }) => {
  await expectGenerated(path, regenerate(text, parts));
});

test('every generated part stands in exactly one page', () => {
  const names = pages.flatMap(({ text }) => partsOf(text));

  expect(names.toSorted()).toEqual([...parts.keys()].toSorted());
});
