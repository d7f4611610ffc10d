import { expect, test } from 'vitest';
import {
  formatListenAddress,
  isLoopback,
  networkOf,
  parseListenAddress,
} from '../../../src/expose/listen-address.ts';

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

test.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['::', false],
  ['0.0.0.0', false],
  ['::ffff:192.0.2.1', false],
  ['192.0.2.127', false],
])('%s is an address of the loopback interface: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['2001:0:0:1::5', '2001:0:0:1'],
  ['2001::1:2:3:4:5', '2001:0:0:1'],
  ['::1', ':0:0:0'],
  ['', ''],
])('the connections and guesses of %s count for the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
