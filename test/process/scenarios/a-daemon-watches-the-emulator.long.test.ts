/** `emulate` of the program under test stands in for the service, as its users rehearse with it. */
import { expect, test } from 'vitest';
import { configOf, run, startEmulator, watchService } from '../../support/program.ts';

test('What the scenario of the emulator says is what the daemon shows', async () => {
  const { url, emulator } = await startEmulator({
    accounts: [
      {
        name: 'rehearsal',
        regions: [
          {
            name: 'ap-guangzhou',
            zones: [{ name: 'ap-guangzhou-3', postpaid: { limit: 288, used: 131 } }],
          },
        ],
      },
    ],
  });
  const daemon = await watchService({ url });

  const samples = await daemon.cycle();
  const of = { quota_type: 'postpaid', zone: 'ap-guangzhou-3' };
  expect(samples.value('cvm_quota_limit', of)).toBe(288);
  expect(samples.value('cvm_quota_used', of)).toBe(131);
  expect((await run('check', { config: configOf({ url }, {}) })).code).toBe(0);

  emulator.signal('SIGTERM');
  expect((await emulator.result).code).toBe(0);
});
