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
  ['https://ops.example.com/quota/', undefined, 'ops.example.com', '/quota'],
  ['https://ops.example.com/quota', '', 'ops.example.com', ''],
  ['http://ops.example.com:8080', '/quota', 'ops.example.com', '/quota'],
  ['http://ops.example.com:80/a/b/', undefined, 'ops.example.com', '/a/b'],
])(
  'the external URL %s with the prefix %s has the host %s and the path %j',
  (text, prefix, host, expected) => {
    const external = parseExternalUrl(text);

    expect(publicUrlOf(external!, prefix)).toEqual({ host, prefix: expected });
  },
);

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
