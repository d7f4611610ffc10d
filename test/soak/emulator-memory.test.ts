import { test } from 'vitest';
import { expectNoGrowth } from '../support/emulator-growth.ts';

test(
  '1,000,000 requests to the emulator take no more memory than the first 50,000',
  { timeout: 600_000 },
  () => expectNoGrowth(1_000_000),
);
