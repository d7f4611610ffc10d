import { expect, it } from 'vitest';
import { printable, redacted } from '../../../src/api/text.ts';
import { leaks } from '../../helpers/leaks.ts';

it.each([
  ['plain', 'plain'],
  [' a\r\nb\tc ', 'a b c'],
  ['\u001b[31mred', '[31mred'],
  ['\ud800lone', 'lone'],
  ['right\u202eleft', 'right left'],
  ['é🦀', 'é🦀'],
])('makes %j printable', (text, expected) => {
  expect(printable(text, 100)).toBe(expected);
});

it('cuts between characters, never within one', () => {
  expect(printable('🦀🦀🦀', 2)).toBe('🦀🦀');
});

it('takes out secrets, plain and percent-encoded, but not what is too short to be one', () => {
  expect(redacted('a=key/1 b=key%2F1 c', ['key/1', 'c', ''])).toBe('a=[redacted] b=[redacted] c');
});

const key = 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE';

it.each([
  ['Base64', Buffer.from(key).toString('base64')],
  ['Base64 for addresses', Buffer.from(`${key}???`).toString('base64url')],
  ['Base64 of a longer text', Buffer.from(`key: ${key}, and more`).toString('base64')],
  ['Base64 of another longer text', Buffer.from(`the key: ${key}`).toString('base64')],
  ['hexadecimal', Buffer.from(`the ${key}`).toString('hex')],
  ['upper-case hexadecimal', Buffer.from(key).toString('hex').toUpperCase()],
  ['a part', key.slice(7, 19)],
  ['the beginning, cut', `${key.slice(0, 20)}…`],
])('takes out a secret as %s', (_form, written) => {
  const text = redacted(`refused: ${written}.`, [key]);

  expect(text).toMatch(/^refused: /);
  expect(text).toContain('[redacted]');
  expect(leaks(text, [key])).toEqual([]);
});

it('leaves a text without secrets as it is', () => {
  const text = 'The provided credentials could not be validated. Please check your signature.';

  expect(redacted(text, [key, 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE'])).toBe(text);
});
