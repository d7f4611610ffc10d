import { expect, test } from 'vitest';
import { demoScenarioFile } from '../../../src/emulator/demo-scenario.ts';
import { createEmulator, createManualClock } from '../../../src/emulator/emulator.ts';

async function demo() {
  const clock = createManualClock();
  return { clock, emulator: await createEmulator({ scenario: demoScenarioFile, clock }) };
}

test('the demo has every quota type in three regions with two zones each', async () => {
  const { emulator } = await demo();

  const regions = [...emulator.state.account().regions.values()];

  expect(regions).toHaveLength(3);
  for (const region of regions) {
    expect(region.zones.size).toBe(2);
    expect(Object.values(region.quotas)).not.toContain(null);
    for (const zone of region.zones.values()) {
      expect(Object.values(zone.quotas)).not.toContain(null);
    }
  }
});

test('the demo changes the default version 15, 30 and 45 seconds into every minute', async () => {
  const { emulator, clock } = await demo();

  clock.advance(119_000);

  const startMs = clock.now() - 119_000;
  const changes = emulator.state.changes
    .list()
    .filter((change) => change.kind === 'default-version-changed')
    .map(({ atMs, oldValue, newValue }) => [(atMs - startMs) / 1000, oldValue, newValue]);
  expect(changes).toEqual([
    [15, 5, 8],
    [30, 8, 13],
    [45, 13, 5],
    [75, 5, 8],
    [90, 8, 14],
    [105, 14, 5],
  ]);
});

test('a quota of the demo falls below a tenth of its limit for half a minute', async () => {
  const { emulator, clock } = await demo();
  const place = { region: 'ap-shanghai', zone: 'ap-shanghai-4', quotaType: 'spotpaid' } as const;
  const isCritical = () => {
    const { used, limit } = emulator.state.quota(place);
    return (limit - used) / limit < 0.1;
  };
  const criticalSeconds = Array.from({ length: 60 }, () => {
    clock.advance(1000);
    return isCritical();
  }).filter(Boolean).length;

  expect(criticalSeconds).toBe(33);
});
