/** Quotas: what is a change of a limit, or of what exists, and what is none. */
import { edited } from '../../support/gateway.ts';
import type { Row, Step } from './row.ts';
import { region, zone, zoneQuotas, type Stage } from './stage.ts';

const postpaid = { region, zone, quota_type: 'postpaid' } as const;

const series = (limit: number | null, raised: number | null, lowered: number | null) => ({
  'limit postpaid': limit,
  'raised postpaid': raised,
  'lowered postpaid': lowered,
});

/** The gauges of a zone that the answer lacks are gone. Its counters stay while it is missing. */
const zoneGoes: Step = {
  act: ({ emulator }) => {
    emulator.do({ do: 'remove-zone', region, zone });
  },
  changes: [],
  series: { ...series(null, 0, 0), 'disappeared postpaid': 0, incomplete: 1 },
};

const stillMissing: Step = { ...zoneGoes, act: () => undefined };

const disappears: Step = {
  act: () => undefined,
  changes: ['quota-disappeared 300', 'quota-disappeared 200', 'quota-disappeared 80'],
  series: { ...series(null, null, null), 'disappeared postpaid': 1, incomplete: 0 },
};

interface QuotaSets {
  readonly PostPaidQuotaSet: readonly { readonly Zone: string }[];
}

/** The service answers with other sets than it has. */
const answering = (edit: (sets: QuotaSets) => object): Pick<Step, 'act' | 'changes'> => ({
  act: ({ gateway }) => {
    const replacement = edited((fields) => {
      const overview = fields.AccountQuotaOverview as { AccountQuota: QuotaSets };
      fields.AccountQuotaOverview = { ...overview, AccountQuota: edit(overview.AccountQuota) };
    });
    gateway.replacementFor = ({ query }) =>
      query.Action === 'DescribeAccountQuota' ? replacement : null;
  },
  changes: [],
});

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
      zoneGoes,
      {
        act: returnZone(300),
        changes: [],
        series: { ...series(300, 0, 0), incomplete: 0 },
      },
    ],
  },
  {
    name: 'a zone comes back with another limit',
    steps: [
      zoneGoes,
      {
        act: returnZone(200),
        changes: ['quota-limit-lowered 300 → 200'],
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
        changes: ['quota-appeared 300', 'quota-appeared 200', 'quota-appeared 80'],
        series: series(300, 0, 0),
      },
    ],
  },
  {
    name: 'a zone is missing for three polls, disappears, and comes back',
    steps: [
      zoneGoes,
      stillMissing,
      stillMissing,
      disappears,
      {
        act: returnZone(300),
        changes: ['quota-appeared 300', 'quota-appeared 200', 'quota-appeared 80'],
        series: { ...series(300, 0, 0), 'disappeared postpaid': 1 },
      },
    ],
  },
  {
    name: 'a set becomes null',
    steps: [
      { ...answering((sets) => ({ ...sets, PostPaidQuotaSet: null })), series: zoneGoes.series },
      stillMissing,
      stillMissing,
      // Both zones.
      {
        ...disappears,
        changes: ['quota-disappeared 300', 'quota-disappeared 300'],
      },
    ],
  },
  {
    name: 'a row becomes unreadable for ever',
    steps: Array.from({ length: 5 }, (_, i) => ({
      ...answering((sets) => ({
        ...sets,
        PostPaidQuotaSet: sets.PostPaidQuotaSet.map((row) =>
          row.Zone === zone ? { ...row, Zone: null } : row,
        ),
      })),
      series: { ...series(null, 0, 0), incomplete: 1 },
      faults: [`kind="invalid-row"} ${i + 1}`],
    })),
  },
  {
    name: 'an answer is about another region',
    steps: [
      {
        ...answering((sets) => ({
          ...sets,
          PostPaidQuotaSet: sets.PostPaidQuotaSet.map((row) => ({ ...row, Zone: 'ap-seoul-1' })),
        })),
        series: series(300, 0, 0),
        faults: ['code="InvalidResponse"} 1'],
      },
    ],
  },
];
