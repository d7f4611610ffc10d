/** Links of the documentation lead somewhere, and every page is reached. */
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { anchors, links, readPages, repository } from '../../support/docs/markdown.ts';

const pages = readPages();

/** Each has its path from the root of the repository. */
function localLinks(page: { readonly path: string; readonly text: string }) {
  return links(page.text)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = null] = target.split('#');
      const to = path === '' ? page.path : normalize(join(dirname(page.path), path));
      return { target, path: to, anchor };
    });
}

test.each(pages)('every link of $path leads to a file and, with #, to a heading', (page) => {
  const hasHeading = (path: string, anchor: string) =>
    pages.some((each) => each.path === path && anchors(each.text).has(anchor));
  const dead = localLinks(page).filter(
    ({ path, anchor }) =>
      !existsSync(join(repository, path)) || (anchor !== null && !hasHeading(path, anchor)),
  );

  expect(dead.map(({ target }) => target)).toEqual([]);
});

test('every page is reached by links from README.md', () => {
  const reached = new Set(['README.md']);
  for (const path of reached) {
    const page = pages.find((candidate) => candidate.path === path);
    if (page !== undefined) for (const link of localLinks(page)) reached.add(link.path);
  }

  const lost = pages.map(({ path }) => path).filter((path) => !reached.has(path));
  // Templates of GitHub's are reached by their place, not by a link.
  expect(lost.filter((path) => !path.startsWith('.github/'))).toEqual([]);
});
