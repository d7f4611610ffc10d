import { expect, onTestFinished, test } from 'vitest';
import { createManualClock, startEmulator } from '../../../../src/emulator/emulator.ts';

test('the Date of an answer is the time of the emulator', async () => {
  const clock = createManualClock(1_700_000_000_000);
  const emulator = await startEmulator({ clock });
  onTestFinished(emulator.close);

  clock.advance(3_600_000);
  const { headers } = await fetch(emulator.url);

  expect(headers.get('date')).toBe('Tue, 14 Nov 2023 23:13:20 GMT');
});
