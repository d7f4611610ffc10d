import { expect, test } from 'vitest';
import { parseExternalUrl, parsePrefix, publicUrlOf } from '../../../src/expose/external-url.ts';

test.each([
  ['/', ''],
  ['', ''],
  ['/quota', '/quota'],
  ['quota/', '/quota'],
  ['//a/b//', '/a/b'],
  ['/a//b', null],
  ['/a?b', null],
  ['/a b', null],
])('the prefix %j is read as %j', (text, prefix) => {
  expect(parsePrefix(text)).toBe(prefix);
});

test.each([
  ['https://ops.example.com/quota/', undefined, '/quota', 'https://ops.example.com/quota'],
  ['https://ops.example.com/quota', '', '', 'https://ops.example.com/quota'],
  ['http://ops.example.com:8080', '/quota', '/quota', 'http://ops.example.com:8080'],
  ['http://ops.example.com:80/a/b/', undefined, '/a/b', 'http://ops.example.com/a/b'],
])(
  'the external URL %s with the prefix %s has its host, the path %j, and the page %s',
  (text, prefix, path, page) => {
    const external = parseExternalUrl(text);

    expect(publicUrlOf(external!, prefix)).toEqual({ page, host: 'ops.example.com', prefix: path });
  },
);

test('without an external URL, the page and its host are unknown', () => {
  expect(publicUrlOf(undefined, '/quota')).toEqual({ page: null, host: null, prefix: '/quota' });
});

test.each([
  'ops.example.com',
  'ftp://a/',
  'https://a:b@c/',
  'https://a/?b',
  'https://a/#b',
  '"https://a"',
])('%s is no external URL', (text) => {
  expect(parseExternalUrl(text)).toBeNull();
});
