import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import type { QuotaRecord } from '../../../src/collectors/quota/quota.ts';
import { quotaTarget } from '../../support/fake-monitor.ts';
import { plannedBy, PolledTarget } from '../../support/polled-target.ts';
import { quotaSample } from '../../support/sample-scenario.ts';

const everything = quotaTarget('production', 'ap-guangzhou');
const collector = collectors.of(everything);

const row = (zone: string | number, limit = 10, more: object = {}) => ({
  Zone: `ap-guangzhou-${zone}`,
  UsedQuota: 1,
  RemainingQuota: limit - 1,
  TotalQuota: limit,
  ...more,
});
const answer = (sets: object, more: object = {}) => ({
  AppId: 7,
  AccountQuotaOverview: { Region: 'ap-guangzhou', AccountQuota: sets, ...more },
});
const postpaid = (...rows: readonly unknown[]) => answer({ PostPaidQuotaSet: rows });

const target = (
  quotaTypes: QuotaRecord['target']['selection']['quotaTypes'],
  zones: string[] | null = null,
) => new PolledTarget({ ...everything, selection: { quotaTypes, zones } } as QuotaRecord['target']);
const snapshotOf = ({ record }: PolledTarget) => (record as QuotaRecord).observed.snapshot!;

it('an answer about quotas is read as in the official sample', async () => {
  const { Response } = JSON.parse(quotaSample) as { Response: object };
  const polled = new PolledTarget(everything);

  const { code, missing } = await polled.poll(Response);

  expect([code, missing]).toEqual([null, []]);
  expect(polled.requests).toEqual([{}]);
  const { appId, quotas } = snapshotOf(polled);
  const limits = quotas.flatMap(({ instanceLimits }) => instanceLimits ?? []);
  expect([appId, ...limits]).toEqual([251007416, { host: 50, switch: 20, rack: 30 }]);
  expect(quotas.filter((each) => collector.quotaNote(each) !== '')).toHaveLength(2);
  const texts = quotas.map(({ type, zone, unit, used, remaining, limit, onceLimit }) =>
    [type, zone ?? 'region', unit, used, remaining, limit, onceLimit ?? '-'].join(' '),
  );
  expect(texts).toEqual([
    'postpaid ap-guangzhou-3 instances 0 288 288 -',
    'postpaid ap-guangzhou-4 instances 2 1248 1250 -',
    'prepaid ap-guangzhou-3 instances 0 255 255 300',
    'prepaid ap-guangzhou-4 instances 0 222 222 300',
    'spotpaid ap-guangzhou-3 vcpus 0 244 244 -',
    'spotpaid ap-guangzhou-4 vcpus 4 195 199 -',
    'disaster_recover_group region groups 0 10 10 -',
    'image region images 0 10 10 -',
  ]);
  expect(polled.metrics()).toMatchObject({
    'cvm_quota_once_limit ap-guangzhou-3 prepaid instances': 300,
    'cvm_disaster_recover_group_instance_limit host': 50,
    'cvm_account_info 251007416': 1,
  });
  expect(polled.metrics(false)).toEqual({});
});

it('an answer about quotas of more rows than are read lacks them all', async () => {
  const { missing } = await target(['postpaid']).poll(
    postpaid(...Array.from({ length: 20_001 }, (_, i) => row(i))),
  );

  expect(missing).toMatchObject(
    [/no quota/, /too many rows/].map((text) => expect.stringMatching(text)),
  );
});

const key = 'gu5t9xgarnpq86cd98joqycn3example';
it.each<[string, object]>([
  ['the region', answer({}, { Region: key })],
  ['a zone of another region', postpaid({ ...row(3), Zone: key })],
  ['a zone that is there twice', postpaid(row(key), row(key, 20))],
  ['a zone of an unreadable row', postpaid({ ...row(key), UsedQuota: -1 })],
])('a long run in %s of an answer about quotas is cut', async (_what, fields) => {
  const polled = target(['postpaid']);

  const { missing } = await polled.poll(fields);

  const texts = [...missing, polled.record.observed.freshness.failure?.message].join();
  expect(texts).toContain('gu5t…');
  expect(texts).not.toContain(key);
});

it('the changes of quotas name a missing quota in three polls, and then no more', async () => {
  const polled = target(['postpaid']);
  await polled.poll(postpaid(row(3), row(4)));

  const missing: number[] = [];
  for (let i = 0; i < 5; i += 1) missing.push((await polled.poll(postpaid(row(3)))).missing.length);

  expect(missing).toEqual([1, 1, 1, 0, 0]);
});

it('the changes of quotas do not come from another selection', async () => {
  const polled = target(['postpaid']);
  const select = (zones: string[] | null) => {
    polled.select({
      ...everything,
      selection: { quotaTypes: ['postpaid'], zones },
    } as QuotaRecord['target']);
  };
  await polled.poll(postpaid(row(3), row(4)));
  const found: (readonly string[])[] = [];
  const pollTimes = async (times: number, ...rows: readonly object[]) => {
    for (let i = 0; i < times; i += 1) found.push((await polled.poll(postpaid(...rows))).changes);
  };

  select(['ap-guangzhou-3']);
  expect(snapshotOf(polled).quotas).toMatchObject([{ zone: 'ap-guangzhou-3' }]);
  await pollTimes(5, row(3));
  select(null);
  await pollTimes(5, row(3), row(5));

  expect(found.flat()).toEqual([]);
  await pollTimes(1, row(3), row(5), row(6));
  expect(found.flat()).toEqual(['quota-appeared none → 10']);
});

it('the changes of quotas begin again with the answer of another account', async () => {
  const polled = target(['postpaid']);
  await polled.poll(postpaid(row(3, 10), row(4)));
  await polled.poll({ ...postpaid(row(3, 20), row(4)), AppId: null });

  const { changes } = await polled.poll({ ...postpaid(row(3, 5), row(6)), AppId: 8 });

  expect(changes).toEqual([]);
  expect(polled.record.durable.histories).toMatchObject([
    { zone: 'ap-guangzhou-3', raised: 1, isKnown: true },
    { zone: 'ap-guangzhou-6', raised: 0, isKnown: true },
    { zone: 'ap-guangzhou-4', isKnown: false, limit: null },
  ]);
});

const plan = (accountKeys: Record<string, unknown>, regionKeys: Record<string, unknown> = {}) =>
  plannedBy('DescribeAccountQuota', { accountKeys, regionKeys });

it('the configuration of quotas watches every type and zone, or those that it names, in the order of the program', () => {
  expect(plan({})).toEqual([everything]);
  expect(plan({ quota_types: [] })).toEqual([]);
  const zones = ['ap-guangzhou-3'];
  const [selected] = plan({ quota_types: ['image', 'postpaid'] }, { zones });
  expect(selected).toMatchObject({ selection: { quotaTypes: ['postpaid', 'image'], zones } });
  expect(collector.details(selected!)).toBe('zones ap-guangzhou-3');
  expect(collector.details(everything)).toBe('');
  expect(collector.reportableQuotas(selected!)).toEqual([
    { type: 'postpaid', zones },
    { type: 'image', zones: [] },
  ]);
});

it.each<[QuotaRecord['target']['selection']['quotaTypes'], number, readonly string[]]>([
  [['postpaid'], 1, ['zone', 'ap-guangzhou-0', 'quota-type', 'PostPaidQuotaSet']],
  [['spotpaid'], 6, ['quota-type', 'SpotPaidQuotaSet']],
  [
    ['postpaid', 'disaster_recover_group'],
    1,
    ['quota-type', 'PostPaidQuotaSet', 'DisasterRecoverGroupQuotaSet'],
  ],
  [['postpaid', 'image'], 1, []],
])(
  'a request for quotas of %j in %j zones is filtered by %j',
  async (quotaTypes, count, filters) => {
    const zones = Array.from({ length: count }, (_, i) => `ap-guangzhou-${i}`);
    const polled = target(quotaTypes, zones);
    await polled.poll(answer({}));

    expect(Object.values(polled.requests[0]!)).toEqual(filters);
  },
);

it('the configuration of quotas refuses a zone of another region', () => {
  expect(
    collector.regionProblems('ap-guangzhou', { zones: ['ap-guangzhou-3', 'ap-x-1'] }),
  ).toMatchObject([{ path: ['zones', 1] }]);
  expect(collector.regionProblems('ap-guangzhou', { zones: [7] })).toEqual([]);
});

it.each<[string, string, string, object, object]>([
  ['DescribeImageQuota', 'image', 'images', { ImageNumQuota: 10 }, { used: null, remaining: null }],
  [
    'DescribeDisasterRecoverGroupQuota',
    'disaster_recover_group',
    'groups',
    { GroupQuota: 10, CurrentNum: 3 },
    { used: 3, remaining: 7 },
  ],
])(
  'the quotas of the international site are read by %s',
  async (operation, type, unit, fields, amounts) => {
    const own = collectors.of({ operation });
    const planOf = (site: 'international' | 'domestic', quota_types: readonly string[]) =>
      plannedBy(operation, { site, accountKeys: { quota_types }, regionKeys: {} });
    expect([planOf('domestic', [type]), planOf('international', ['spotpaid'])]).toEqual([[], []]);
    const [only] = planOf('international', [type]);
    const polled = new PolledTarget(only!);

    expect(await polled.poll(fields)).toMatchObject({ code: null, missing: [] });

    const numbers = { ...amounts, limit: 10 };
    expect(own.quotas(polled.record)).toEqual([{ type, zone: null, unit, ...numbers }]);
    expect(own.reportableQuotas(only!)).toEqual([{ type, zones: [] }]);
  },
);
