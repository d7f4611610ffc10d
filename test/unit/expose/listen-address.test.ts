import { expect, test } from 'vitest';
import { formatListenAddress, parseListenAddress } from '../../../src/expose/listen-address.ts';

test.each([
  [':10042', { host: undefined, port: 10042 }],
  ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
  ['localhost:10043', { host: 'localhost', port: 10043 }],
  ['[::1]:10043', { host: '::1', port: 10043 }],
])('a listen address %s is read, and written again as it was', (text, expected) => {
  const address = parseListenAddress(text);

  expect(address).toEqual(expected);
  expect(formatListenAddress(expected)).toBe(text);
});

test.each(['10042', 'localhost', '127.0.0.1:65536', '::1:10043', '', 'a b:1'])(
  'a listen address %j is refused',
  (text) => {
    expect(parseListenAddress(text)).toBeNull();
  },
);
