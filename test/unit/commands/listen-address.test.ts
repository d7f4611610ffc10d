import { describe, expect, test } from 'vitest';
import { parseListenAddress } from '../../../src/commands/listen-address.ts';

describe('a listen address', () => {
  test.each([
    [':10042', { host: '::', port: 10042 }],
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['localhost:10043', { host: 'localhost', port: 10043 }],
    ['[::1]:10043', { host: '::1', port: 10043 }],
  ])('%s is read', (text, expected) => {
    expect(parseListenAddress(text)).toEqual(expected);
  });

  test.each(['10042', 'localhost', '127.0.0.1:65536', '::1:10043', ''])('%j is refused', (text) => {
    expect(() => parseListenAddress(text)).toThrow('expected HOST:PORT');
  });
});
