import { expect, test } from 'vitest';
import {
  createEmulator,
  createManualClock,
  type Emulator,
  type ScenarioInput,
} from '../../../src/emulator/emulator.ts';
import { ask, quotaQuery, versionsQuery } from '../../support/ask.ts';

async function start(changes: Partial<ScenarioInput> = {}) {
  const clock = createManualClock(1_700_000_000_000);
  const scenario = {
    accounts: [
      {
        name: 'a',
        regions: [
          {
            name: 'ap-guangzhou',
            launch_templates: [{ id: 'lt-b8v1kcyq', default_version: 1, versions: [1] }],
          },
          { name: 'ap-shanghai' },
        ],
      },
    ],
    ...changes,
  };
  return { clock, emulator: await createEmulator({ scenario, clock }) };
}

function codes(emulator: Emulator, requests: number) {
  return Array.from({ length: requests }, () => ask(emulator, quotaQuery).code);
}

test('20 requests of a second are let in, and the answer to the 21st has its number', async () => {
  const { emulator } = await start();

  expect(codes(emulator, 20)).toEqual(Array(20).fill(null));
  expect(ask(emulator, quotaQuery)).toMatchObject({
    status: 200,
    code: 'RequestLimitExceeded',
    message:
      'Your current request times equals to `21` in a second, which exceeds the frequency limit `20` for a second. Please reduce the frequency of calls.',
  });
  expect(ask(emulator, quotaQuery).message).toContain('equals to `22` in a second');
});

test('the windows are whole seconds of the clock, by arrival', async () => {
  const { emulator, clock } = await start();
  clock.advance(999);
  codes(emulator, 20);

  clock.advance(1);

  expect(codes(emulator, 21).filter((code) => code !== null)).toEqual(['RequestLimitExceeded']);
});

test('regions share a limit, operations do not', async () => {
  const { emulator } = await start();
  codes(emulator, 20);

  expect(ask(emulator, { ...quotaQuery, Region: 'ap-shanghai' }).code).toBe('RequestLimitExceeded');
  expect(ask(emulator, versionsQuery).code).toBeNull();
});

test('the limit can be set', async () => {
  const { emulator } = await start({ requests_per_second: 3 });

  expect(codes(emulator, 4)).toEqual([null, null, null, 'RequestLimitExceeded']);
});
