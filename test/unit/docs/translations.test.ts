/** The Chinese pages say what the English ones say: the first line of each has a hash of the English page. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { readPages } from '../../support/docs/markdown.ts';

const pages = new Map(readPages().map(({ path, text }) => [path, text]));
const translated = [...pages.keys()].filter((path) => path.startsWith('docs/zh-CN/'));
const originalOf = (path: string) => path.replace('zh-CN/', '');

test('the page about launches and the runbook of each alert that wakes somebody are translated', () => {
  const rows = pages
    .get('docs/alerts.md')!
    .matchAll(/^\| \[.*?\]\((runbooks\/.*?)\).*on-call +\|$/gm);
  const runbooks = [...rows].map(([, path]) => `docs/zh-CN/${path}`);

  expect(translated.toSorted()).toEqual(['docs/zh-CN/launches.md', ...runbooks.toSorted()]);
});

test.each(translated)('%s is a translation of its English page as that is now', (path) => {
  const original = originalOf(path);
  const hash = createHash('sha256').update(pages.get(original)!).digest('hex').slice(0, 16);
  const what = `${original} has changed: change ${path} alike, and make its first line`;
  const expected = `<!-- ${original} ${hash} -->`;

  expect(pages.get(path)!.split('\n')[0], `${what} ${expected}`).toBe(expected);
});

test.each(translated)(
  '%s names the same fields, codes and commands as its English page',
  (path) => {
    const codesOf = (text: string) =>
      Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code]) => code!);
    const missingIn = (text: string, codes: readonly string[]) =>
      codes.filter((code) => !codesOf(text).includes(code));
    /** Tables of codes are in English only. */
    const withoutTables = (text: string) => text.replaceAll(/^\|.*$/gm, '');
    const english = pages.get(originalOf(path))!;
    const chinese = pages.get(path)!;

    expect(missingIn(chinese, codesOf(withoutTables(english)))).toEqual([]);
    expect(missingIn(english, codesOf(chinese))).toEqual([]);
  },
);
