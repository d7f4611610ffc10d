import { expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator/emulator.ts';
import { startDaemon } from '../helpers/daemon-process.ts';

test('a daemon between two cycles ends with exit code 0 on SIGTERM', async () => {
  const emulator = await startEmulator();
  const daemon = await startDaemon({
    config: {
      api: { endpoint: emulator.url },
      accounts: [
        {
          name: 'production',
          credentials: { type: 'none' },
          regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] }],
        },
      ],
    },
  });
  await daemon.ready();

  const exit = await daemon.stop('SIGTERM');

  expect(exit).toEqual({ code: 0, signal: null });
  await emulator.close();
});
