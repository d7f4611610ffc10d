/** What is read of DescribeZoneInstanceConfigInfos, and compared. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stockCollector, type StockRecord } from '../../../src/collectors/stock/stock.ts';
import { CodedError } from '../../../src/model/coded-error.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import type { Target } from '../../../src/model/target.ts';
import { templateTarget } from '../../support/fake-monitor.ts';
import { plannedBy, PolledTarget } from '../../support/polled-target.ts';
import { rowsOf } from '../../support/rows.ts';

const [three, four] = ['ap-guangzhou-3', 'ap-guangzhou-4'];
const sample = {
  Zone: three,
  InstanceType: 'S5.LARGE8',
  InstanceChargeType: 'POSTPAID_BY_HOUR',
  Status: 'SELL',
  StatusCategory: 'EnoughStock',
  SoldOutReason: '',
  Cpu: 2,
  Memory: 8,
};
const row = (more: object = {}) => ({ ...sample, ...more });
const answer = (...rows: readonly unknown[]) => ({ InstanceTypeQuotaSet: rows });
const soldOut = { Status: 'SOLD_OUT', StatusCategory: 'WithoutStock' };

function stock(types = ['S5.LARGE8'], more: object = {}) {
  const needs = types.map((instanceType) => ({
    instanceType,
    chargeType: 'postpaid',
    zone: three,
  }));
  return new PolledTarget({
    account: 'production',
    region: 'ap-guangzhou',
    operation: 'DescribeZoneInstanceConfigInfos',
    needs,
    launches: [],
    isInternational: false,
    ...more,
  } as Target);
}
const region = { account: 'production', region: 'ap-guangzhou', site: 'domestic' } as const;
const place = { ...region, accountKeys: { launches: true } };
const plan = (settings: Parameters<typeof plannedBy>[1], records: readonly TargetRecord[] = []) =>
  plannedBy('DescribeZoneInstanceConfigInfos', settings, records) as StockRecord['target'][];
const snapshotOf = ({ record }: PolledTarget) => (record as StockRecord).observed.snapshot!;
const isSoldOut = `cvm_instance_type_sold_out ${three} S5.LARGE8 postpaid`;

test('a change of stock is in the feed, and an unknown one is no change', async () => {
  const polled = stock();
  await polled.poll(answer(row()));

  const change = async (...rows: object[]) => (await polled.poll(answer(...rows))).changes;
  expect(await change(row(soldOut))).toEqual(['stock-changed enough → sold out']);
  expect(await change(row({ Status: 'MAYBE', StatusCategory: null }))).toEqual([]);
  expect(await change({})).toEqual([]);
  expect(await change(row({ StatusCategory: 'Plenty' }))).toEqual([
    'stock-changed sold out → sells',
  ]);
  expect(await change(row(soldOut))).toEqual(['stock-changed sells → sold out']);
  expect(await change(row({ StatusCategory: 'UnderStock' }))).toEqual([
    'stock-changed sold out → nearly gone',
  ]);
  expect(await change(row({ StatusCategory: 'Plenty' }))).toEqual([]);
  expect(await change(row({ StatusCategory: 'UnderStock' }))).toEqual([]);
  expect(await change(row({ Status: 'MAYBE' }))).toEqual([]);
  expect(await change()).toEqual([]);
  expect(await change()).toEqual(['stock-changed nearly gone → not offered']);
  expect(await change()).toEqual([]);
  expect(await change(row({ StatusCategory: 'Plenty' }))).toEqual([
    'stock-changed not offered → sells',
  ]);
  expect(await change(row())).toEqual([]);
  expect(await change(row({ StatusCategory: 'NormalStock' }))).toEqual([
    'stock-changed enough → normal',
  ]);
});

test('the history of stock says what is known of each type in each zone where it is started', async () => {
  const polled = stock(['S5.LARGE8', 'S5.GONE']);
  const known = (instanceType: string, state: string, wasOffered: boolean) => {
    const lackedPolls = state === 'not offered' ? 2 : 0;
    return { instanceType, chargeType: 'postpaid', zone: three, state, wasOffered, lackedPolls };
  };
  const history = async (...rows: object[]) => {
    await polled.poll(answer(...rows));
    return (polled.record as StockRecord).durable.stock.filter(({ state }) => state !== null);
  };

  expect(await history({})).toEqual([]);
  expect(await history(row())).toEqual([known('S5.LARGE8', 'enough', true)]);
  expect(await history(row())).toEqual([
    known('S5.LARGE8', 'enough', true),
    known('S5.GONE', 'not offered', false),
  ]);
  expect(await history(row(soldOut))).toContainEqual(known('S5.LARGE8', 'sold out', true));
  expect(polled.record.durable.recentChanges).toMatchObject([
    { zone: three, resource: { instance_type: 'S5.LARGE8', charge_type: 'postpaid' } },
  ]);
  expect(await history(row(soldOut))).toContainEqual(known('S5.LARGE8', 'sold out', true));
});

test('a type that is started in any zone is known in those that sell it, in whatever order they come', async () => {
  const needs = [{ instanceType: 'S5.LARGE8', chargeType: 'postpaid', zone: null }];
  const polled = stock([], { needs });
  for (let poll = 0; poll < 2; poll += 1) await polled.poll(answer(row(), row({ Zone: four })));
  const { durable } = polled.record;

  await polled.poll(answer(row({ Zone: four }), row()));
  expect(polled.record.durable).toBe(durable);
  expect(await polled.changesOf([answer(row()), answer(row())])).toEqual([
    [],
    ['stock-changed enough → not offered'],
  ]);
});

test('a type that the service refuses among 199 others costs only itself', async () => {
  const types = Array.from({ length: 200 }, (_, i) => `S5.T${i}`);
  const polled = stock(types);
  const asked: number[] = [];
  polled.answer = (parameters) => {
    const names = Object.entries(parameters)
      .filter(([key]) => key.startsWith('Filters.0.Values.'))
      .map(([, name]) => name);
    asked.push(names.length);
    if (names.includes('S5.T42')) throw new CodedError('InvalidInstanceType.Malformed', 'refused');
    return answer(...names.map((InstanceType) => row({ InstanceType })));
  };

  const { code, missing } = await polled.poll();

  expect(code).toBeNull();
  expect(missing).toEqual(['instance type S5.T42: refused with InvalidInstanceType.Malformed']);
  expect(snapshotOf(polled).rows).toHaveLength(199);
  expect(snapshotOf(polled).asked).toHaveLength(199);
  expect((polled.record as StockRecord).durable.stock).toHaveLength(199);
  expect(asked[0]).toBe(100);
  expect(asked.length).toBeLessThanOrEqual(16);
});

test('300 templates of 40 types in one region need one request, and 800 rows are read', async () => {
  const records = [];
  for (let i = 0; i < 300; i += 1) {
    const polled = new PolledTarget(templateTarget('production', 'ap-guangzhou', `lt-${i}`));
    const data = {
      InstanceType: `S5.T${i % 40}`,
      InstanceChargeType: i % 80 < 40 ? 'POSTPAID_BY_HOUR' : 'SPOTPAID',
      ...[{ InstanceType: 5 }, { InstanceChargeType: 5 }][i],
    };
    await polled.poll({
      LaunchTemplateVersionSet: [
        { LaunchTemplateVersion: 1, IsDefaultVersion: true, LaunchTemplateVersionData: data },
      ],
      TotalCount: 1,
    });
    records.push(polled.record);
  }
  const [own] = plan({ ...place, regionKeys: { launch_templates: 'all' } }, records);
  const polled = new PolledTarget(own!);
  const rows = Array.from({ length: 800 }, (_, i) =>
    row({
      Zone: `ap-guangzhou-${i % 10}`,
      InstanceType: `S5.T${Math.floor(i / 20)}`,
      InstanceChargeType: i % 20 < 10 ? 'POSTPAID_BY_HOUR' : 'SPOTPAID',
    }),
  );

  expect((await polled.poll(answer(...rows))).missing).toEqual([]);
  expect(polled.requests).toMatchObject([{ 'Filters.1.Values.1': 'SPOTPAID' }]);
  expect(Object.keys(polled.metrics())).toHaveLength(1_600);
});

test('where filters by type are refused, the answer is asked for by charge type and selected', async () => {
  const polled = stock(undefined, { isInternational: true });
  polled.answer = (parameters) => {
    if (parameters['Filters.0.Name'] === 'instance-type') throw new CodedError('InvalidFilter', '');
    const odd = row({ Zone: four, StatusCategory: 'Plenty' });
    return answer(row({ StatusCategory: null }), row({ InstanceType: 'S6.LARGE8' }), odd);
  };

  expect(await polled.poll()).toMatchObject({ code: null, missing: [] });
  expect(polled.requests.at(-1)).toEqual({
    'Filters.0.Name': 'instance-charge-type',
    'Filters.0.Values.0': 'POSTPAID_BY_HOUR',
  });
  expect(polled.metrics()).toEqual({ [isSoldOut]: 0 });
  expect(polled.record.observed.freshness.anomalies).toEqual({ 'invalid-row': 1 });
});

test('types that no zone offers are no failure, and another error is one', async () => {
  const polled = stock();
  let code = 'InternalError';
  polled.answer = () => {
    throw new CodedError(code, '');
  };

  expect(await polled.poll()).toMatchObject({ code });
  expect(polled.requests).toHaveLength(1);
  code = 'InvalidParameterValue.ZoneNotSupported';
  expect(await polled.poll()).toMatchObject({ code: null });
  expect(snapshotOf(polled)).toMatchObject({ isWhole: true, rows: [] });
});

test.each<[regionKeys: Record<string, unknown>, details: readonly string[]]>([
  [{}, ['']],
  [{ scaling_groups: [] }, []],
  [{ scaling_groups: [], launch_templates: 'all' }, ['']],
  [{ launch_templates: ['lt-1'] }, ['']],
  [{ instance_types: ['S.B', 'S.A', 'S.C', 'S.D', 'S.E', 'S.F'] }, ['S.A, S.B, S.C, S.D, S.E']],
])('a region with %j asks for the stock of %j', (regionKeys, details) => {
  const planned = plan({ ...place, regionKeys });

  expect(planned.map((each) => stockCollector.details(each))).toEqual(details);
  expect(planned).toMatchObject(details.map(() => ({ isInternational: false })));
});

test('a launch is one in its zone, and without a zone in those that sell its type', async () => {
  const one = { type: 'S5.LARGE8', charge_types: ['postpaid'] };
  const other = { ...one, type: 'S6.LARGE8', zones: [four] };
  const regionKeys = { instance_types: [one, other] };
  const [own] = plan({ ...place, site: 'international', regionKeys });
  const polled = new PolledTarget(own!);
  const launch = {
    ...{ templateId: '', groupId: '', templateName: '', version: null, isVersionKnown: true },
    ...{ instanceType: one.type, chargeType: 'postpaid', isZoneNamed: false },
    ...{ subnets: [], subnetsBindOwnZonesOnly: true, count: 1, ipv6Count: 0 },
    ...{ disks: [], placementGroups: [] },
  };
  const named = {
    ...{ ...launch, instanceType: other.type, zone: four },
    ...{ isZoneNamed: true, subnetsBindOwnZonesOnly: false },
  };
  const launches = () => stockCollector.launchFacts(polled.record as StockRecord).launches;

  expect(own).toMatchObject({ isInternational: true });
  expect(launches()).toEqual([{ ...launch, zone: '' }, named]);
  await polled.poll(answer(row(), row({ Zone: four, InstanceType: named.instanceType })));
  expect(launches()).toEqual([{ ...launch, zone: three }, named]);
});

test('a launch of the configuration without a zone does not join a zone that only a template names', async () => {
  const needs = [null, four].map((zone) => {
    return { instanceType: 'S5.LARGE8', chargeType: 'postpaid', zone };
  });
  const [own] = plan({
    ...place,
    regionKeys: { instance_types: [{ type: 'S5.LARGE8', charge_types: ['postpaid'] }] },
  });
  const polled = new PolledTarget({ ...own!, needs } as Target);
  const zones = () =>
    stockCollector
      .launchFacts(polled.record as StockRecord)
      .launches?.map((launch) => 'zone' in launch && launch.zone);

  for (let poll = 0; poll < 3; poll += 1) await polled.poll(answer(row()));
  expect(zones()).toEqual([three]);
  // Where it was sold once, it stays a launch.
  await polled.poll(answer(row({ Zone: four })));
  for (let poll = 0; poll < 3; poll += 1) await polled.poll(answer());
  expect(zones()).toEqual([four, three]);
});

/** A row with these fields; without any, one that nothing can be read of. */
const rowOrNothing = (more: object) => (Object.keys(more).length === 0 ? {} : row(more));

/** The offers that two whole answers in a row lacked, unless the last answer may have any. */
const absentOf = ({ record }: PolledTarget) => {
  const { histories, isWhole } = stockCollector.launchFacts(record as StockRecord).stock!;
  return histories
    .filter(({ lackedPolls, zone }) => isWhole && lackedPolls === 2 && zone !== '*')
    .map(({ instanceType, zone }) => `${instanceType} ${zone}`.trim());
};

test.each(
  rowsOf<[what: string, answers: object[][], absent: string[]]>('collectors', 'absent-offers'),
)('an offer that %s is absent, or not yet', async (_what, answers, absent) => {
  const polled = stock();

  for (const rows of answers) await polled.poll(answer(...rows.map(rowOrNothing)));

  expect(absentOf(polled)).toEqual(absent);
});

test('an offer that is needed in any zone is absent when no zone had it in two answers in a row', async () => {
  const needs = [{ instanceType: 'S5.LARGE8', chargeType: 'postpaid', zone: null }];
  const polled = stock([], { needs });
  await polled.poll(answer());
  expect(absentOf(polled)).toEqual([]);
  await polled.poll(answer());
  expect(absentOf(polled)).toEqual(['S5.LARGE8']);
  await polled.poll(answer(row()));
  expect(absentOf(polled)).toEqual([]);
  await polled.poll(answer());
  await polled.poll(answer());
  expect(absentOf(polled)).toEqual(['S5.LARGE8', 'S5.LARGE8 ap-guangzhou-3']);
});

test('an offer that is needed in any zone is lacking in each zone that no answer named', async () => {
  const needs = [{ instanceType: 'S5.LARGE8', chargeType: 'postpaid', zone: null }];
  const polled = stock([], { needs });
  const lacking = () =>
    stockCollector
      .launchFacts(polled.record as StockRecord)
      .stock?.histories.flatMap(({ lackedPolls, zone }) =>
        ['', three].includes(zone) ? [] : `${zone} ${lackedPolls}`,
      );

  await polled.poll(answer(row()));
  expect(lacking()).toEqual(['* 1']);
  // In zone 4, it may be that row.
  await polled.poll(answer(row(), row({ Zone: four, InstanceChargeType: 5 })));
  expect(lacking()).toEqual(['* 2', `${four} 0`]);
  // And now it may be anything.
  await polled.poll(answer(row(), {}));
  expect(lacking()).toEqual(['* 2', `${four} 0`]);
  await polled.poll(answer(row()));
  expect(lacking()).toEqual(['* 2', `${four} 1`]);
});

test('an offer that was needed in any zone, and is in one, was lacking there before', async () => {
  const [any, one] = [null, three].map((zone) => {
    return { needs: [{ instanceType: 'S5.LARGE8', chargeType: 'postpaid', zone }] };
  });
  const polled = stock([], any);
  await polled.poll(answer(row({ Zone: four })));
  polled.select(stock([], one).record.target);
  await polled.poll(answer(row({ Zone: four })));

  expect(absentOf(polled)).toEqual([`S5.LARGE8 ${three}`]);
});

test('a row of a type that is not printable may be of any type', async () => {
  const polled = stock();
  await polled.poll(answer());
  await polled.poll(answer(row({ InstanceType: 'S5\u0007' })));
  expect(absentOf(polled)).toEqual([]);
  await polled.poll(answer());
  expect(absentOf(polled)).toEqual(['S5.LARGE8 ap-guangzhou-3']);
});

test('stock of another region is no answer', async () => {
  const polled = stock();
  await polled.poll(answer(row()));
  const { snapshot } = polled.record.observed;

  for (const InstanceType of ['S5.LARGE8', 'S6.LARGE8']) {
    const foreign = row({ InstanceType, Zone: 'ap-shanghai-3' });
    expect(await polled.poll(answer(row(), foreign))).toMatchObject({ code: 'InvalidResponse' });
  }
  expect(polled.record.observed.snapshot).toBe(snapshot);
});

/** How one poll answers: whether it fails, has a row that can be any, and what each offer has. */
const kinds = ['lacking', 'EnoughStock', 'UnderStock', 'SOLD_OUT', 'unknown', 'NEWPAID'] as const;
const offers = ['S5.LARGE8 3', 'S6.LARGE8 3', 'S6.LARGE8 4'];

test('stock changes as often as in a plain model, whatever the answers are', async () => {
  const poll = fc.record({
    fails: fc.boolean(),
    isWhole: fc.boolean(),
    has: fc.tuple(...offers.map(() => fc.constantFrom(...kinds))),
  });
  const mostly = fc.oneof(
    { weight: 3, arbitrary: poll.map((each) => ({ ...each, fails: false, isWhole: true })) },
    { weight: 1, arbitrary: poll },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(mostly, { maxLength: 25 }), async (polls) => {
      // The first type is needed in its zone, the other one in any.
      const needs = [
        { instanceType: 'S5.LARGE8', chargeType: 'postpaid', zone: three },
        { instanceType: 'S6.LARGE8', chargeType: 'postpaid', zone: null },
      ];
      const polled = stock([], { needs });
      const model = offers.map(() => ({ state: '', lacks: 0, changes: 0 }));
      let changes = 0;
      for (const { fails, has, isWhole } of polls) {
        const rows = has.flatMap((kind, i) => {
          const [InstanceType, zone] = offers[i]!.split(' ');
          const where = { InstanceType, Zone: `ap-guangzhou-${zone}` };
          if (kind === 'lacking') return [];
          if (kind === 'NEWPAID') return [row({ ...where, InstanceChargeType: kind })];
          if (kind === 'SOLD_OUT') return [row({ ...where, ...soldOut })];
          if (kind === 'unknown') return [row({ ...where, Status: kind, StatusCategory: null })];
          return [row({ ...where, StatusCategory: kind })];
        });
        const found = await polled.poll(
          fails ? { InstanceTypeQuotaSet: 7 } : answer(...rows, ...(isWhole ? [] : [{}])),
        );
        changes += found.changes.length;
        if (fails) continue;
        for (const [i, kind] of has.entries()) {
          const own = model[i]!;
          let next: string = kind;
          if (kind === 'lacking') {
            const isExpected = i === 0 || own.state !== '';
            if (!isExpected || !isWhole) continue;
            own.lacks += 1;
            if (own.lacks < 2) continue;
            next = 'not offered';
          } else {
            own.lacks = 0;
            if (kind === 'unknown' || kind === 'NEWPAID') continue;
          }
          if (own.state !== '' && own.state !== next) own.changes += 1;
          own.state = next;
        }
      }

      expect(changes).toBe(model.reduce((sum, own) => sum + own.changes, 0));
    }),
  );
});
