import { expect, it } from 'vitest';
import { printable, redacted } from '../../../src/api/text.ts';

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
