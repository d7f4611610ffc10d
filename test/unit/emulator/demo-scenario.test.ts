import { expect, test } from 'vitest';
import { createEmulator, createManualClock } from '../../../src/emulator/emulator.ts';
import { demoScenarioFile } from '../../../src/emulator/scenario-files.ts';

test('in every minute of the demo, the default version changes, a quota is short for a while, and a type sells out and comes back', async () => {
  const clock = createManualClock();
  const emulator = await createEmulator({ scenario: demoScenarioFile, clock });
  const place = { region: 'ap-shanghai', zone: 'ap-shanghai-4', quota_type: 'spotpaid' } as const;
  const shortSeconds = Array.from({ length: 120 }, () => {
    clock.advance(1_000);
    const { used, limit } = emulator.state.quota(place);
    return (limit - used) / limit < 0.1;
  }).filter(Boolean).length;

  const startMs = clock.now() - 120_000;
  const changesOf = (kind: string) =>
    emulator.state.changes
      .list()
      .filter((change) => change.kind === kind && (change.charge_type ?? 'postpaid') === 'postpaid')
      .map(({ at, old_value, new_value, instance_type }) => ({
        seconds: (Date.parse(at) - startMs) / 1_000,
        is: [instance_type ?? old_value, new_value],
      }));
  const defaults = changesOf('default-version-changed');
  expect(defaults.map(({ seconds }) => seconds)).toEqual([15, 30, 45, 75, 90, 105]);
  expect(defaults[0]!.is).toEqual([5, 8]);
  expect(shortSeconds).toBe(66);
  expect(
    changesOf('stock-changed')
      .slice(0, 5)
      .map(({ is }) => is),
  ).toEqual([
    ['SA5.2XLARGE16', 'UnderStock'],
    ['SA5.2XLARGE16', 'WithoutStock'],
    ['SA5.2XLARGE16', 'NormalStock'],
    ['S5.2XLARGE16', 'WithoutStock'],
    ['S5.2XLARGE16', 'EnoughStock'],
  ]);
});
