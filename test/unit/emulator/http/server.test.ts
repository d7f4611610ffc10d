import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Pool } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createManualClock, startEmulator } from '../../../../src/emulator/emulator.ts';
import { sampleScenario } from '../../../../src/emulator/sample-scenario.ts';
import { temporaryDirectory } from '../../../helpers/directories.ts';

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

describe('a Unix socket', () => {
  test('is listened on, and is gone afterwards', async () => {
    const socketPath = join(await temporaryDirectory(), 'emulator.sock');
    const emulator = await startEmulator({ socketPath });
    const pool = new Pool('http://localhost', { socketPath });

    const { statusCode } = await pool.request({ method: 'GET', path: '/_emulator/' });
    await pool.destroy();
    await emulator.close();

    expect([emulator.url, statusCode]).toEqual([`unix:${socketPath}`, 200]);
    expect(existsSync(socketPath)).toBe(false);
  });

  test('that somebody listens on is not taken away', async () => {
    const socketPath = join(await temporaryDirectory(), 'emulator.sock');
    const emulator = await startEmulator({ socketPath });
    onTestFinished(emulator.close);

    await expect(startEmulator({ socketPath })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('that a killed process left behind is taken', async () => {
    const socketPath = join(await temporaryDirectory(), 'emulator.sock');
    const killed = `require('net').createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['--eval', killed]);

    const emulator = await startEmulator({ socketPath });
    onTestFinished(emulator.close);

    expect(emulator.url).toBe(`unix:${socketPath}`);
  });
});

test('a connection carries as many requests as the scenario says', async () => {
  const scenario = { ...sampleScenario, requests_per_connection: 2 };
  const emulator = await startEmulator({ scenario });
  onTestFinished(emulator.close);
  const pool = new Pool(emulator.url, { connections: 1 });
  onTestFinished(() => pool.destroy());
  const connection = async () => {
    const { headers, body } = await pool.request({ method: 'GET', path: '/_emulator/' });
    await body.dump();
    return headers.connection;
  };

  expect([await connection(), await connection(), await connection()]).toEqual([
    'keep-alive',
    'close',
    'keep-alive',
  ]);
});
