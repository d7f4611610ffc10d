import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import type { QuotaRecord, QuotaTarget } from '../../../src/collectors/quota/quota.ts';
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
const unreadable = { UsedQuota: 1 };
const answer = (sets: object, more: object = {}) => ({
  AppId: 7,
  AccountQuotaOverview: { Region: 'ap-guangzhou', AccountQuota: sets, ...more },
});
const postpaid = (...rows: readonly unknown[]) => answer({ PostPaidQuotaSet: rows });

const target = (
  quotaTypes: QuotaTarget['selection']['quotaTypes'],
  zones: string[] | null = null,
) => new PolledTarget({ ...everything, selection: { quotaTypes, zones } } as QuotaTarget);
const snapshotOf = ({ record }: PolledTarget) => (record as QuotaRecord).observed.snapshot!;

it('an answer about quotas is read as in the official sample', async () => {
  const { Response } = JSON.parse(quotaSample) as { Response: object };
  const polled = new PolledTarget(everything);

  const { code, missing } = await polled.poll(Response);

  expect([code, missing]).toEqual([null, []]);
  expect(polled.requests).toEqual([{}]);
  const { appId, quotas } = snapshotOf(polled);
  expect(appId).toBe(251007416);
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
    'cvm_account_info 251007416': 1,
  });
  expect(polled.metrics(false)).toEqual({});
});

it('an answer about quotas may say that more is in use than the limit', async () => {
  const polled = target(['disaster_recover_group', 'image']);

  await polled.poll(
    answer({
      DisasterRecoverGroupQuotaSet: [{ CurrentNum: 25, GroupQuota: 10 }],
      ImageQuotaSet: [{ UsedQuota: 11, TotalQuota: 10 }],
    }),
  );

  expect(snapshotOf(polled).quotas).toMatchObject([{ remaining: -15 }, { remaining: -1 }]);
});

it.each<[string, object, readonly string[]]>([
  [
    'a row without a number',
    postpaid(row(3), row(4, 10, { UsedQuota: null })),
    ['(ap-guangzhou-4)'],
  ],
  ...Object.entries({
    'is a text': { TotalQuota: '10' },
    'is absent': { RemainingQuota: undefined },
    'is a fraction': { TotalQuota: 1.5 },
  }).map(([what, fields]): [string, object, string[]] => [
    `a row whose number ${what}`,
    postpaid(row(3), row(4, 10, fields)),
    ['(ap-guangzhou-4)'],
  ]),
  ['a row that is empty', postpaid(row(3), {}), ['PostPaidQuotaSet[1]: Zone']],
  ['a row that is null', postpaid(row(3), null), ['PostPaidQuotaSet[1]']],
  ['a row twice', postpaid(row(3), row(3)), []],
  [
    'two rows of a zone',
    postpaid(row(3, 10), row(3, 20)),
    ['no quota', 'ap-guangzhou-3 is there already'],
  ],
  [
    'more that remains than the limit',
    postpaid(row(3), row(4, 100, { RemainingQuota: 500 })),
    ['(ap-guangzhou-4)'],
  ],
  ['a negative limit', postpaid(row(3), row(4, -1)), ['(ap-guangzhou-4)']],
  ['a set that is no list', answer({ PostPaidQuotaSet: 'none' }), ['no quota', 'not a list']],
  [
    'more rows than are read',
    postpaid(...Array.from({ length: 20_001 }, (_, i) => row(i))),
    ['no quota', 'too many rows'],
  ],
  ['no set', answer({}), ['no quota in the answer']],
  ['a null set', answer({ PostPaidQuotaSet: null }), ['no quota in the answer']],
])('an answer about quotas with %s names what it lacks', async (_what, fields, missing) => {
  const polled = await target(['postpaid']).poll(fields);

  expect(polled).toMatchObject({
    code: null,
    missing: missing.map((text) => expect.stringContaining(text)),
  });
});

it('an answer about quotas has a limit of one purchase for prepaid alone', async () => {
  const polled = target(['postpaid', 'prepaid']);
  const rows = [row(3, 10, { OnceQuota: 5, RemainingQuota: 2 })];
  await polled.poll(answer({ PostPaidQuotaSet: rows, PrePaidQuotaSet: rows }));

  // What remains is what the service says, not what would be left.
  expect(
    snapshotOf(polled).quotas.map(({ onceLimit, remaining }) => [onceLimit, remaining]),
  ).toEqual([
    [undefined, 2],
    [5, 2],
  ]);
});

it('an answer about quotas of a whole region lacks no selected zone', async () => {
  const polled = target(['image'], ['ap-guangzhou-3']);
  const images = answer({ ImageQuotaSet: [{ UsedQuota: 1, TotalQuota: 10 }] });

  expect(await polled.poll(images)).toMatchObject({ code: null, missing: [] });
});

it('an answer about quotas lacks each selected zone that it does not name, and nothing that is not selected', async () => {
  const polled = target(['postpaid'], ['ap-guangzhou-3', 'ap-guangzhou-9']);

  const { missing } = await polled.poll(
    answer({ PostPaidQuotaSet: [row(3), { Zone: 'ap-guangzhou-4' }], ImageQuotaSet: 'none' }),
  );

  expect(missing).toEqual(['zone ap-guangzhou-9: no row in the answer']);
});

it.each<[string, object]>([
  ['another region', answer({}, { Region: 'ap-shanghai' })],
  ['a zone of another region', postpaid(row(3), { ...row(3), Zone: 'ap-shanghai-3' })],
  ['no overview', { AppId: 7 }],
])('an answer about quotas with %s is invalid', async (_what, fields) => {
  expect(await target(['postpaid']).poll(fields)).toMatchObject({ code: 'InvalidResponse' });
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

it('an answer about quotas may have sets that are empty, null or absent beside others', async () => {
  const sets = { PostPaidQuotaSet: [row(3)], PrePaidQuotaSet: [], SpotPaidQuotaSet: null };

  expect(await new PolledTarget(everything).poll(answer(sets))).toMatchObject({
    code: null,
    missing: [],
  });
});

it('an answer about quotas may lack its region and its AppId', async () => {
  const fields = { AccountQuotaOverview: { AccountQuota: { PostPaidQuotaSet: [row(3)] } } };

  expect(await target(['postpaid']).poll(fields)).toMatchObject({ code: null, missing: [] });
});

it.each<[string, readonly object[], readonly (readonly string[])[]]>([
  ['a baseline', [postpaid(row(3), row(4))], [[]]],
  [
    'a limit that is raised',
    [postpaid(row(3, 10)), postpaid(row(3, 20))],
    [[], ['quota-limit-raised 10 → 20']],
  ],
  [
    'a limit that is lowered, below what is used',
    [postpaid(row(3, 10)), postpaid(row(3, 5, { UsedQuota: 9, RemainingQuota: -4 }))],
    [[], ['quota-limit-lowered 10 → 5']],
  ],
  [
    'a limit that moves in each of three polls',
    [10, 20, 15, 16].map((limit) => postpaid(row(3, limit))),
    [
      [],
      ['quota-limit-raised 10 → 20'],
      ['quota-limit-lowered 20 → 15'],
      ['quota-limit-raised 15 → 16'],
    ],
  ],
  ['a use that moves', [postpaid(row(3)), postpaid(row(3, 10, { UsedQuota: 0 }))], [[], []]],
  [
    'a new zone',
    [postpaid(row(3)), postpaid(row(3), row(4, 5))],
    [[], ['quota-appeared none → 5']],
  ],
  ['a set that was null', [postpaid(), postpaid(row(3))], [[], ['quota-appeared none → 10']]],
  [
    'a zone that is missing for three polls, then gone, and returns with another limit',
    [
      postpaid(row(3), row(4, 5)),
      ...[1, 2, 3, 4, 5].map(() => postpaid(row(3))),
      postpaid(row(3), row(4, 6)),
    ],
    [
      [],
      [],
      [],
      [],
      ['quota-disappeared 5 → none'],
      [],
      ['quota-appeared none → 6', 'quota-limit-raised 5 → 6'],
    ],
  ],
  [
    'a zone that is missing for three polls, and comes back',
    [
      postpaid(row(3), row(4)),
      ...[1, 2, 3].map(() => postpaid(row(3))),
      postpaid(row(3), row(4)),
      postpaid(row(3)),
      postpaid(row(3)),
    ],
    [[], [], [], [], [], [], []],
  ],
  [
    'one name with two contents, which is no limit that moved',
    [postpaid(row(3)), postpaid(row(3, 5), row(3)), postpaid(row(3), row(3)), postpaid(row(3))],
    [[], [], [], []],
  ],
  [
    'a full set that becomes null',
    [
      answer({ PostPaidQuotaSet: [row(3)], SpotPaidQuotaSet: [row(3)] }),
      ...[1, 2, 3, 4].map(() => postpaid(row(3))),
    ],
    [[], [], [], [], ['quota-disappeared 10 → none']],
  ],
  [
    'a row that is unreadable for ever',
    [postpaid(row(3), row(4)), ...[1, 2, 3, 4, 5].map(() => postpaid(row(3), unreadable))],
    [[], [], [], [], [], []],
  ],
  [
    'a new zone beside an unreadable row',
    [postpaid(row(3)), postpaid(row(3), row(4), unreadable), postpaid(row(3), row(4))],
    [[], ['quota-appeared none → 10'], []],
  ],
  [
    'a zone that was only ever named beside an unreadable row',
    [postpaid(row(3), row(4), unreadable), ...[1, 2, 3, 4].map(() => postpaid(row(3)))],
    [[], [], [], [], ['quota-disappeared 10 → none']],
  ],
  [
    'a first answer that is not whole',
    [postpaid(row(3), unreadable), postpaid(row(3), row(4)), postpaid(row(3), row(4), row(5))],
    [[], [], ['quota-appeared none → 10']],
  ],
  [
    'numbers that are unreadable, and then differ',
    [
      postpaid(row(3)),
      ...[1, 2, 3, 4].map(() => postpaid(row(3, 10, { TotalQuota: null }))),
      postpaid(row(3, 11)),
    ],
    [[], [], [], [], [], ['quota-limit-raised 10 → 11']],
  ],
])('the changes of quotas of %s', async (_what, answers, changes) => {
  const polled = target(['postpaid', 'spotpaid']);

  expect(await polled.changesOf(answers)).toEqual(changes);
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
    } as QuotaTarget);
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

it.each<[QuotaTarget['selection']['quotaTypes'], number, readonly string[]]>([
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
