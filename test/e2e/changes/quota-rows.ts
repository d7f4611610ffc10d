/** Quotas: what is a change of a limit or of the zones, and what is none. */
import type { Row, Step } from './row.ts';
import { region, zone, zoneQuotas, type Stage } from './stage.ts';

const postpaid = { region, zone, quota_type: 'postpaid' } as const;

const series = (limit: number | null, raised: number | null, lowered: number | null) => ({
  'limit postpaid': limit,
  'raised postpaid': raised,
  'lowered postpaid': lowered,
});

const zoneGoes: Step = {
  act: ({ emulator }) => {
    emulator.do({ do: 'remove-zone', region, zone });
  },
  changes: [`zone-disappeared ${zone}`],
  series: series(null, null, null),
};

const returnZone =
  (limit: number) =>
  ({ emulator }: Stage): void => {
    emulator.do({ do: 'add-zone', region, zone, ...zoneQuotas, postpaid: { used: 3, limit } });
  };

export const quotaRows: readonly Row[] = [
  {
    name: 'a limit is raised',
    steps: [
      {
        act: ({ emulator }) => {
          emulator.do({ do: 'set-limit', ...postpaid, limit: 400 });
        },
        changes: ['quota-limit-raised 300 → 400'],
        series: series(400, 1, 0),
      },
    ],
  },
  {
    name: 'a limit is lowered, below what is used',
    steps: [
      {
        act: ({ emulator }) => {
          emulator.do({ do: 'set-limit', ...postpaid, limit: 2 });
        },
        changes: ['quota-limit-lowered 300 → 2'],
        series: { ...series(2, 0, 1), 'used postpaid': 3, 'remaining postpaid': -1 },
      },
    ],
  },
  {
    name: 'a limit is raised and lowered again before the next poll',
    steps: [
      {
        act: ({ emulator }) => {
          emulator.do({ do: 'set-limit', ...postpaid, limit: 400 });
          emulator.do({ do: 'set-limit', ...postpaid, limit: 300 });
        },
        changes: [],
        series: series(300, 0, 0),
      },
    ],
  },
  {
    name: 'used moves',
    steps: [
      {
        act: ({ emulator }) => {
          emulator.do({ do: 'set-used', ...postpaid, used: 250 });
        },
        changes: [],
        series: { ...series(300, 0, 0), 'used postpaid': 250 },
      },
    ],
  },
  {
    name: 'a month begins, and prepaid used falls to 0',
    steps: [
      {
        act: ({ emulator }) => {
          emulator.do({ do: 'month-turn' });
        },
        changes: [],
        series: {
          'used prepaid': 0,
          'limit prepaid': 200,
          'raised prepaid': 0,
          'lowered prepaid': 0,
        },
      },
    ],
  },
  {
    name: 'a zone goes for one poll and comes back',
    steps: [
      {
        act: ({ emulator }) => {
          emulator.do({ do: 'set-limit', ...postpaid, limit: 400 });
        },
        changes: ['quota-limit-raised 300 → 400'],
        series: series(400, 1, 0),
      },
      zoneGoes,
      {
        act: returnZone(400),
        changes: [`zone-appeared ${zone}`],
        series: series(400, 1, 0),
      },
    ],
  },
  {
    name: 'a zone comes back with another limit',
    steps: [
      zoneGoes,
      {
        act: returnZone(200),
        changes: [`zone-appeared ${zone}`, 'quota-limit-lowered 300 → 200'],
        series: series(200, 0, 1),
      },
    ],
  },
  {
    name: 'a zone is new',
    steps: [
      {
        act: ({ emulator }) => {
          emulator.do({ do: 'add-zone', region, zone: 'ap-guangzhou-7', ...zoneQuotas });
        },
        changes: ['zone-appeared ap-guangzhou-7'],
        series: series(300, 0, 0),
      },
    ],
  },
];
