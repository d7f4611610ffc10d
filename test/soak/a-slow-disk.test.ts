import { test } from 'vitest';
import { expectBounds } from '../support/slow-disk.ts';

test(
  'with 40 ms a call and 10,000 targets, cycles, scrapes and the stop stay in bounds, and all changes are counted',
  { timeout: 1_800_000 },
  () => expectBounds(10_000),
);
