import { test } from 'vitest';
import { expectNoGrowth } from '../support/emulator-growth.ts';

test(
  '200,000 requests to the emulator take no more memory than the first 50,000',
  { timeout: 300_000 },
  () => expectNoGrowth(200_000),
);
