import { expect, test } from 'vitest';
import { paintFor, plain, styled } from '../../../../src/expose/terminal/style.ts';

test.each([
  ['styled', true, {}],
  ['plain', false, {}],
  ['plain', true, { NO_COLOR: '1' }],
  ['styled', true, { NO_COLOR: '' }],
  ['plain', true, { TERM: 'dumb' }],
  ['styled', false, { FORCE_COLOR: '1' }],
  ['styled', false, { FORCE_COLOR: '3', NO_COLOR: '1' }],
  ['plain', true, { FORCE_COLOR: '0' }],
])('output is %s where it goes to a terminal (%s) with %o', (how, isTTY, env) => {
  expect(paintFor({ isTTY }, env)).toBe(how === 'styled' ? styled : plain);
});
