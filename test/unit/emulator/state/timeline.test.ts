import { expect, test } from 'vitest';
import {
  createEmulator,
  createManualClock,
  type ScenarioInput,
} from '../../../../src/emulator/emulator.ts';
import { ask, versionsQuery } from '../../../support/ask.ts';
import { fixtureOf } from '../../../support/rows.ts';

const region = 'ap-guangzhou';
const zone = 'ap-guangzhou-3';
const template = { region, template_id: 'lt-b8v1kcyq' } as const;

const world = fixtureOf<ScenarioInput>('scenario/every-action');

async function start(changes: Partial<ScenarioInput>) {
  const clock = createManualClock(1_700_000_000_000);
  const scenario: ScenarioInput = { ...world, timeline: [], ...changes };
  const emulator = await createEmulator({ scenario, clock });
  const changesSeen = () =>
    emulator.state.changes
      .list()
      .map(({ kind, at, old_value = null, new_value = null }) => [
        Date.parse(at) - startMs,
        kind,
        old_value,
        new_value,
      ]);
  const startMs = clock.now();
  return { emulator, clock, startMs, changesSeen };
}

test('every action of a timeline does what it says', async () => {
  const { emulator, clock, changesSeen } = await start(world);

  clock.advance(8_000);
  const { prepaid } = emulator.state.zone({ region, zone });
  expect(prepaid?.used).toBe(9);
  clock.advance(60_000);

  expect(changesSeen()).toEqual([
    [1_000, 'quota-limit-lowered', 10, 5],
    [2_000, 'quota-limit-raised', 5, 50],
    [3_000, 'version-created', null, 6],
    [4_000, 'version-created', null, 47],
    [5_000, 'default-version-changed', 2, 47],
    [6_000, 'version-deleted', 6, null],
    [7_000, 'zone-appeared', null, null],
    [10_000, 'template-created', null, null],
    [11_000, 'template-deleted', null, null],
    [12_000, 'zone-disappeared', null, null],
  ]);
  expect(prepaid?.used).toBe(0);
  expect(ask(emulator, versionsQuery).code).toBe(
    'InvalidParameterValue.LaunchTemplateIdNotExisted',
  );
  expect(ask(emulator, { ...versionsQuery, LaunchTemplateId: 'lt-another1' }).code).toBeNull();
});

test('a version that the timeline creates carries the time it was created at', async () => {
  const { emulator, clock } = await start({
    timeline: [{ at: '3s', do: 'create-version', ...template, data: { ImageId: 'img-new' } }],
  });

  clock.advance(10_000);

  const { response } = ask(emulator, { ...versionsQuery, 'LaunchTemplateVersions.0': 6 });
  expect(response.LaunchTemplateVersionSet[0]).toMatchObject({
    CreationTime: '2023-11-14T22:13:23Z',
    LaunchTemplateVersionData: { ImageId: 'img-new' },
  });
});

test('a repeating timeline plays every round, each entry once', async () => {
  const { clock, changesSeen } = await start({
    timeline_repeats_every: '10s',
    timeline: [
      { at: '4s', do: 'set-default-version', ...template, version: 2 },
      { at: '2s', do: 'set-default-version', ...template, version: 5 },
    ],
  });

  clock.advance(12_000);

  expect(changesSeen().map(([at]) => at)).toEqual([2_000, 4_000, 12_000]);
});

test('version numbers are never given twice', async () => {
  const { emulator } = await start({});
  const place = { region, template_id: 'lt-b8v1kcyq' };

  const latest = () => emulator.state.template(place).versions.at(-1)?.version;

  emulator.do({ do: 'create-version', ...place });
  expect(latest()).toBe(6);
  emulator.do({ do: 'delete-version', ...place, version: 6 });

  emulator.do({ do: 'create-version', ...place });
  expect(latest()).toBe(7);
  expect(() => {
    emulator.do({ do: 'create-version', ...place, version: 6 });
  }).toThrow('more than 7');
});

test('a year of a repeating timeline passes without each of its rounds', async () => {
  const { emulator, changesSeen } = await start({
    timeline_repeats_every: '60s',
    timeline: [
      { at: '2s', do: 'create-version', ...template },
      { at: '5s', do: 'set-default-version', ...template, version: 'latest' },
      { at: '7s', do: 'set-default-version', ...template, version: 2 },
      { at: '9s', do: 'delete-version', ...template, version: 'latest' },
    ],
  });

  // Each of the 525,600 rounds, played one by one, would take minutes.
  emulator.advance('365d');
  emulator.advance('6s');

  expect(changesSeen().slice(-2)).toMatchObject([
    [365 * 86_400_000 + 2_000, 'version-created', null, expect.any(Number)],
    [365 * 86_400_000 + 5_000, 'default-version-changed', 2, expect.any(Number)],
  ]);
});
