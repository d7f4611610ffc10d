import { expect, test } from 'vitest';
import { demoScenarioFile } from '../../../src/emulator/scenario-files.ts';
import { createEmulator, createManualClock } from '../../../src/emulator/emulator.ts';

async function demo() {
  const clock = createManualClock();
  return { clock, emulator: await createEmulator({ scenario: demoScenarioFile, clock }) };
}

test('the demo changes the default version 15, 30 and 45 seconds into every minute', async () => {
  const { emulator, clock } = await demo();

  clock.advance(119_000);

  const startMs = clock.now() - 119_000;
  const changes = emulator.state.changes
    .list()
    .filter((change) => change.kind === 'default-version-changed')
    .map(({ at, old_value, new_value }) => [
      (Date.parse(at) - startMs) / 1000,
      old_value,
      new_value,
    ]);
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
  const place = { region: 'ap-shanghai', zone: 'ap-shanghai-4', quota_type: 'spotpaid' } as const;
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

test('an instance type of the template sells out and comes back within a minute', async () => {
  const { emulator, clock } = await demo();
  const [template] = emulator.state.region({ region: 'ap-guangzhou' }).launch_templates;
  const launched = template!.versions.map(({ data }) => data?.InstanceType);

  clock.advance(60_000);

  const changes = emulator.state.changes
    .list()
    .filter(({ kind, charge_type: type }) => kind === 'stock-changed' && type === 'postpaid');
  expect(changes.map((change) => [change.instance_type, change.new_value])).toEqual([
    ['SA5.2XLARGE16', 'UnderStock'],
    ['SA5.2XLARGE16', 'WithoutStock'],
    ['SA5.2XLARGE16', 'NormalStock'],
    ['S5.2XLARGE16', 'WithoutStock'],
    ['S5.2XLARGE16', 'EnoughStock'],
  ]);
  expect(launched).toEqual(expect.arrayContaining(['SA5.2XLARGE16', 'S5.2XLARGE16']));
});
