import { expect, test } from 'vitest';
import { plain, progressLine } from '../../../../src/expose/terminal/style.ts';

test.each([
  [{ done: 0, failed: 0, targets: 1 }, `${'░'.repeat(30)} 0 of 1 target`],
  [
    { done: 600, failed: 0, targets: 1_200 },
    `${'█'.repeat(15)}${'░'.repeat(15)} 600 of 1,200 targets`,
  ],
  [{ done: 4, failed: 2, targets: 4 }, `${'█'.repeat(30)} 4 of 4 targets, 2 failed`],
])('the progress of %o is one line', (progress, line) => {
  expect(progressLine(progress, plain)).toBe(line);
});
