import { expect, test } from 'vitest';
import { english } from '../../../../src/model/texts/texts.ts';
import { paintFor, plain, progressLine, styled } from '../../../../src/expose/terminal/style.ts';

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

test.each([
  [{ done: 0, failed: 0, targets: 1 }, `${'░'.repeat(30)} 0 of 1 target`],
  [
    { done: 600, failed: 0, targets: 1_200 },
    `${'█'.repeat(15)}${'░'.repeat(15)} 600 of 1,200 targets`,
  ],
  [{ done: 4, failed: 2, targets: 4 }, `${'█'.repeat(30)} 4 of 4 targets, 2 failed`],
])('the progress of %o is one line', (progress, line) => {
  expect(progressLine(progress, plain, english)).toBe(line);
});
