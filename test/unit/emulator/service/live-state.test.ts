import { expect, test } from 'vitest';
import { createEmulator, createManualClock } from '../../../../src/emulator/emulator.ts';

const region = 'ap-guangzhou';
const image = { region, quotaType: 'image' } as const;
const template = { region, templateId: 'lt-b8v1kcyq' };

async function start() {
  const clock = createManualClock();
  const emulator = await createEmulator({
    clock,
    scenario: {
      accounts: [
        {
          name: 'a',
          regions: [
            {
              name: region,
              image: { used: 1, limit: 10 },
              launch_templates: [{ id: 'lt-b8v1kcyq', default_version: 1, versions: [1] }],
            },
          ],
        },
      ],
      timeline: [
        { at: '5s', do: 'set-used', region, quota_type: 'image', used: 7 },
        { at: '6s', do: 'create-version', region, template_id: 'lt-b8v1kcyq' },
      ],
    },
  });
  return { clock, emulator, state: emulator.state };
}

test('state that was taken before shows what has happened since', async () => {
  const { emulator, clock, state } = await start();

  emulator.advance(5_000);
  expect(state.quota(image).used).toBe(7);
  clock.advance(1_000);

  expect(state.changes.total).toBe(1);
});

test('a change from code comes after what the timeline has due', async () => {
  const { emulator, state } = await start();

  emulator.advance(6_000);

  expect(state.createVersion(template)).toBe(3);
});

test.each([-1, NaN, 1.5])('a quota cannot become %d', async (value) => {
  const { state } = await start();

  expect(() => {
    state.setUsed({ ...image, used: value });
  }).toThrow('set-used: used: ');
  expect(() => {
    state.setLimit({ ...image, limit: value });
  }).toThrow('set-limit: limit: ');
  expect(state.quota(image)).toEqual({ used: 1, limit: 10 });
});

test('templates and zones are made in the words of code', async () => {
  const { state } = await start();

  state.createTemplate({
    region,
    templateId: 'lt-another1',
    defaultVersion: 2,
    versions: [1, { version: 2, creationTime: '2025-01-01T00:00:00Z', data: { ImageId: 'img-2' } }],
  });
  state.addZone({ region, zone: 'ap-guangzhou-9', prepaid: { limit: 5, onceLimit: 6 } });

  const { defaultVersion, versions } = state.template({ region, templateId: 'lt-another1' });
  expect([defaultVersion, versions.get(2)?.creationTime]).toEqual([2, '2025-01-01T00:00:00Z']);
  expect(state.region({ region }).zones.get('ap-guangzhou-9')?.quotas.prepaid).toEqual({
    used: 0,
    limit: 5,
    onceLimit: 6,
  });
});

test('what no scenario may say, code may not say either', async () => {
  const { state } = await start();

  expect(() => {
    state.createTemplate({ region, templateId: 'lt-bad', defaultVersion: 1, versions: [1] });
  }).toThrow('template_id: expected a template ID such as lt-b8v1kcyq');
  expect(() => {
    state.addZone({ region, zone: 'guangzhou' });
  }).toThrow('zone: expected a zone such as ap-guangzhou-3');
});
