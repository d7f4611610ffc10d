import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
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

test('what is no HTTP request is answered with the time of the emulator, too', async () => {
  const emulator = await startEmulator({ clock: createManualClock(1_700_000_000_000) });
  onTestFinished(emulator.close);
  const socket = connect(Number(new URL(emulator.url).port), '127.0.0.1');

  socket.write('nonsense\r\n\r\n');

  expect(await text(socket)).toContain('Date: Tue, 14 Nov 2023 22:13:20 GMT\r\n');
});
