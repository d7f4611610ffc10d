/** What is read of DescribeZoneInstanceConfigInfos, and compared. */
import { expect, test } from 'vitest';
import { stockCollector, type StockRecord } from '../../../src/collectors/stock/stock.ts';
import { CodedError } from '../../../src/model/coded-error.ts';
import type { Target } from '../../../src/model/target.ts';
import { templateTarget } from '../../support/fake-monitor.ts';
import { PolledTarget } from '../../support/polled-target.ts';

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
  const uses = types.map((instanceType) => ({ instanceType, chargeType: 'postpaid', zone: three }));
  return new PolledTarget({
    account: 'production',
    region: 'ap-guangzhou',
    operation: 'DescribeZoneInstanceConfigInfos',
    uses,
    launches: [],
    isInternational: false,
    ...more,
  } as Target);
}
const snapshotOf = ({ record }: PolledTarget) => (record as StockRecord).seen.snapshot!;
const level = (zone = three) => `cvm_instance_type_stock_level ${zone} S5.LARGE8 postpaid`;
const isSoldOut = `cvm_instance_type_sold_out ${three} S5.LARGE8 postpaid`;

test.each<[what: string, rows: object[], metrics: object, missing: number, anomalies: number]>([
  ['sells', [row()], { [isSoldOut]: 0, [level()]: 3 }, 0, 0],
  ['is nearly gone', [row({ StatusCategory: 'UnderStock' })], { [level()]: 1 }, 0, 0],
  ['is sold out', [row(soldOut)], { [isSoldOut]: 1, [level()]: 0 }, 0, 0],
  [
    'is sold out by its category alone',
    [row({ StatusCategory: 'WithoutStock' })],
    { [isSoldOut]: 1, [level()]: 0 },
    0,
    0,
  ],
  ['has SOLD_OUT', [row({ Status: 'SOLD_OUT' })], { [isSoldOut]: 1, [level()]: 0 }, 0, 0],
  ['may be sold out', [row(soldOut), row({ Status: 'MAYBE' })], { [level()]: 3 }, 1, 1],
  ['has an unknown category', [row({ StatusCategory: 'Plenty' })], { [isSoldOut]: 0 }, 0, 1],
  ['has no category', [row({ StatusCategory: null })], { [isSoldOut]: 0 }, 0, 1],
  ['has an unknown status', [row({ Status: 'MAYBE' })], { [level()]: 3 }, 1, 1],
  [
    'is there twice, and sells once',
    [row(soldOut), row({ StatusCategory: 'NormalStock' }), row({ StatusCategory: 'UnderStock' })],
    { [isSoldOut]: 0, [level()]: 2 },
    0,
    0,
  ],
  [
    'is sold in ways that nobody asked for, too',
    [row(), row({ InstanceChargeType: 'CDHPAID' }), row({ InstanceType: 'S6.LARGE8' })],
    { [isSoldOut]: 0, [level()]: 3 },
    0,
    0,
  ],
  ['is in a row beside one without a name', [row(), {}], { [isSoldOut]: 0, [level()]: 3 }, 1, 1],
  ['is in another zone, where nothing is started', [row({ Zone: four })], {}, 0, 0],
])('a type that %s', async (_what, rows, metrics, missing, anomalies) => {
  const polled = stock();

  const { missing: lacks } = await polled.poll(answer(...rows));

  const known = polled.record.seen.freshness.anomalies['invalid-row'] ?? 0;
  expect({ ...polled.metrics() }).toEqual(
    Object.keys(metrics).length === 1 && !(isSoldOut in metrics)
      ? expect.objectContaining(metrics)
      : metrics,
  );
  expect([lacks.length, known]).toEqual([missing, anomalies]);
});

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
  expect(await change()).toEqual(['stock-changed nearly gone → not offered']);
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
  const known = (
    instanceType: string,
    state: string,
    wasOffered: boolean,
    changedAtMs: number | null,
  ) => {
    return { instanceType, chargeType: 'postpaid', zone: three, state, wasOffered, changedAtMs };
  };
  const history = async (...rows: object[]) => {
    await polled.poll(answer(...rows));
    return (polled.record as StockRecord).counted.stock;
  };

  expect(await history({})).toEqual([]);
  expect(await history(row())).toEqual([
    known('S5.LARGE8', 'enough', true, null),
    known('S5.GONE', 'not offered', false, null),
  ]);
  const offer = { instance_type: 'S5.LARGE8', charge_type: 'postpaid' };
  expect(stockCollector.json(snapshotOf(polled))).toEqual({
    asked: [offer, { ...offer, instance_type: 'S5.GONE' }],
    instance_types: [{ zone: three, ...offer, sells: true, level: 3 }],
  });
  const soldOutAtMs = polled.nowMs + 60_000;
  expect(await history(row(soldOut))).toContainEqual(
    known('S5.LARGE8', 'sold out', true, soldOutAtMs),
  );
  expect(polled.record.counted.recentChanges).toMatchObject([
    { zone: three, resource: { instance_type: 'S5.LARGE8', charge_type: 'postpaid' } },
  ]);
  expect(await history(row(soldOut))).toContainEqual(
    known('S5.LARGE8', 'sold out', true, soldOutAtMs),
  );
});

test('a type that the service refuses among 99 others costs only itself', async () => {
  const types = Array.from({ length: 100 }, (_, i) => `S5.T${i}`);
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
  expect(snapshotOf(polled).rows).toHaveLength(99);
  expect(snapshotOf(polled).asked).toHaveLength(99);
  expect(asked.length).toBeLessThanOrEqual(15);
});

test('300 templates of 40 types in one region need one request, and 800 rows are read', async () => {
  const records = [];
  for (let i = 0; i < 300; i += 1) {
    const polled = new PolledTarget(templateTarget('production', 'ap-guangzhou', `lt-${i}`));
    const data = {
      InstanceType: `S5.T${i % 40}`,
      InstanceChargeType: i % 80 < 40 ? 'POSTPAID_BY_HOUR' : 'SPOTPAID',
    };
    await polled.poll({
      LaunchTemplateVersionSet: [
        { LaunchTemplateVersion: 1, IsDefaultVersion: true, LaunchTemplateVersionData: data },
      ],
      TotalCount: 1,
    });
    records.push(polled.record);
  }
  const keys = { accountKeys: { launches: true }, regionKeys: { launch_templates: 'all' } };
  const place = { account: 'production', region: 'ap-guangzhou', site: 'domestic' } as const;
  const [own] = stockCollector.plan({ ...place, ...keys }, records);
  const polled = new PolledTarget(own!);
  const rows = Array.from({ length: 800 }, (_, i) =>
    row({
      Zone: `ap-guangzhou-${i % 10}`,
      InstanceType: `S5.T${Math.floor(i / 20)}`,
      InstanceChargeType: i % 20 < 10 ? 'POSTPAID_BY_HOUR' : 'SPOTPAID',
    }),
  );

  expect((await polled.poll(answer(...rows))).missing).toEqual([]);
  expect(polled.requests).toHaveLength(1);
  expect(Object.keys(polled.metrics())).toHaveLength(1_600);
});

test('where filters by type are refused, the answer is asked for by charge type and selected', async () => {
  const polled = stock(undefined, { isInternational: true });
  polled.answer = (parameters) => {
    if (parameters['Filters.0.Name'] === 'instance-type') throw new CodedError('InvalidFilter', '');
    return answer(row({ StatusCategory: null }), row({ InstanceType: 'S6.LARGE8' }));
  };

  expect(await polled.poll()).toMatchObject({ code: null, missing: [] });
  expect(polled.requests.at(-1)).toEqual({
    'Filters.0.Name': 'instance-charge-type',
    'Filters.0.Values.0': 'POSTPAID_BY_HOUR',
  });
  expect(polled.metrics()).toEqual({ [isSoldOut]: 0 });
  expect(polled.record.seen.freshness.anomalies).toEqual({});
});

test('types that no zone offers are no failure', async () => {
  const polled = stock();
  polled.answer = () => {
    throw new CodedError('InvalidParameterValue.ZoneNotSupported', '');
  };

  expect(await polled.poll()).toMatchObject({ code: null });
  expect(snapshotOf(polled)).toMatchObject({ isWhole: true, rows: [] });
});
