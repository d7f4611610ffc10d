/** The front page is short, and both languages say the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks, links, repository } from '../../support/docs/markdown.ts';

const english = readFileSync(join(repository, 'README.md'), 'utf8');
const chinese = readFileSync(join(repository, 'README.zh-CN.md'), 'utf8');

/** Code without its comments, which each language has in its own words. */
const codeOf = (page: string) =>
  codeBlocks(page).map(({ language, text }) => [language, text.replaceAll(/ *# .*$/gm, '')]);

test.each([
  ['README.md', english],
  ['README.zh-CN.md', chinese],
])('%s has at most 200 lines', (_name, page) => {
  expect(page.split('\n').length - 1).toBeLessThanOrEqual(200);
});

test('docs/configuration.md has at most 2,500 words', () => {
  const page = readFileSync(join(repository, 'docs/configuration.md'), 'utf8');

  expect(page.split(/\s+/).length).toBeLessThanOrEqual(2500);
});

test('both languages show the same commands, configuration and output', () => {
  expect(codeOf(chinese)).toEqual(codeOf(english));
});

test('both languages lead to the same pages', () => {
  const pagesOf = (page: string) =>
    links(page)
      .filter((target) => !target.startsWith('#') && !target.startsWith('README'))
      .map((target) => target.split('#')[0]!.replace('zh-CN/', ''));

  expect(pagesOf(chinese)).toEqual(pagesOf(english));
});
