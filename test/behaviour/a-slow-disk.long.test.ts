import { test } from 'vitest';
import { expectBounds } from '../support/slow-disk.ts';

test(
  'with 40 ms a call and 400 targets, cycles, scrapes and the stop stay in bounds, and all changes are counted',
  { timeout: 600_000 },
  () => expectBounds(400),
);
