import { describe, expect, it } from 'vitest';
import { collectors } from '../../../../src/collectors/collectors.ts';
import { quotaCollector as collector } from '../../../../src/collectors/quota/quota.ts';
import type { QuotaSnapshot } from '../../../../src/collectors/quota/answer.ts';
import type { QuotaTarget } from '../../../../src/collectors/quota/quota.ts';
import type { TargetRecord } from '../../../../src/model/record.ts';
import { formatRecord, parseRecord } from '../../../../src/state/record-file.ts';
import { advance } from '../../../helpers/advance.ts';
import { quota, quotas, quotaTarget } from '../../../helpers/fake-monitor.ts';
import { viewOf } from '../../../helpers/record-view.ts';
import { asStored } from '../../../helpers/records.ts';

const target = quotaTarget('production', 'ap-guangzhou');

const answered = (snapshot: QuotaSnapshot, record = collector.newRecord(target)) =>
  advance(record, { ok: true, snapshot, anomalies: [], durationMs: 1 }, 1_000);

const full = {
  ...quotas(
    quota({ used: 2, limit: 10 }),
    quota({ type: 'prepaid', used: 0, limit: 5, onceLimit: 3 }),
    quota({ type: 'image', zone: null, used: 1, limit: 8 }),
  ),
  groupInstanceLimits: { host: 50, switch: null, rack: 0 },
};

describe('the plan of quotas', () => {
  const plan = (quota_types: readonly string[] | undefined, regionKeys: object = {}) =>
    collector.plan({
      account: 'production',
      region: 'ap-guangzhou',
      accountKeys: { quota_types },
      regionKeys,
    });

  it('is one target with every type and zone', () => {
    expect(plan(undefined)).toEqual([target]);
  });

  it('has the selected types in the order of the program, and the selected zones', () => {
    const zones = ['ap-guangzhou-3', 'ap-guangzhou-4'];

    expect(plan(['image', 'postpaid'], { zones })).toEqual([
      { ...target, selection: { quotaTypes: ['postpaid', 'image'], zones } },
    ]);
  });

  it('is empty without types', () => {
    expect(plan([])).toEqual([]);
  });

  it('describes the zones of a target', () => {
    const zones = ['ap-guangzhou-3', 'ap-guangzhou-4'];
    const own: QuotaTarget = { ...target, selection: { ...target.selection, zones } };

    expect(collector.details(own)).toBe('zones ap-guangzhou-3, ap-guangzhou-4');
    expect(collector.details(target)).toBe('');
  });

  it('needs one permission', () => {
    expect(collector.actions).toEqual(['name/cvm:DescribeAccountQuota']);
  });
});

describe('the keys of the configuration', () => {
  const { account, region } = collector.configuration;

  it.each([{ quota_types: ['image', 'image'] }, { quota_types: ['cpu'] }])('refuse %j', (keys) => {
    expect(account.safeParse(keys).success).toBe(false);
  });

  it.each(['', 'ap_1', 'AP-1', 'ap-1 ', ' ap-1', 'x'.repeat(65)])('refuse the zone %j', (zone) => {
    expect(region.safeParse({ zones: [zone] })).toMatchObject({
      error: { issues: [{ message: expect.stringContaining('ap-guangzhou-3') }] },
    });
  });

  it('refuse no zone at all, and one zone twice', () => {
    expect(region.safeParse({ zones: [] })).toMatchObject({
      error: { issues: [{ message: expect.stringContaining('omit the key') }] },
    });
    expect(region.safeParse({ zones: ['ap-1', 'ap-1'] })).toMatchObject({
      error: { issues: [{ message: expect.stringContaining('zone') }] },
    });
  });

  it('accept a zone of 64 characters', () => {
    expect(region.safeParse({ zones: ['x'.repeat(64)] }).success).toBe(true);
  });

  it('know a zone of another region', () => {
    const zones = ['ap-guangzhou-3', 'ap-seoul-1', 'x-ap-guangzhou-'];

    expect(collector.regionProblems('ap-guangzhou', { zones })).toMatchObject([
      { path: ['zones', 1], message: expect.stringContaining('ap-guangzhou-') },
      { path: ['zones', 2] },
    ]);
    expect(collector.regionProblems('ap-guangzhou', {})).toEqual([]);
  });
});

describe('the record of quotas', () => {
  it('reports its quotas and limits, and none before the first answer', () => {
    const { record } = answered(full);

    expect(collector.quotas(record)).toEqual(full.quotas);
    expect(collector.limits(record)).toHaveLength(3);
    expect(collector.quotas(collector.newRecord(target))).toEqual([]);
    expect(collector.limits(collector.newRecord(target))).toEqual([]);
  });

  it('can report every selected type, of the selected zones or of the region', () => {
    const zones = ['ap-guangzhou-3'];
    const own: QuotaTarget = { ...target, selection: { quotaTypes: ['spotpaid', 'image'], zones } };

    expect(collector.reportableQuotas(own)).toEqual([
      { type: 'spotpaid', zones },
      { type: 'image', zones: [] },
    ]);
    expect(collector.reportableQuotas(target)[0]).toEqual({ type: 'postpaid', zones: null });
  });

  it('tells the operation that each value comes from', () => {
    const { used, remaining, limit, limitFields } = collector.quotaSources ?? {};

    for (const source of [used, remaining, limit, limitFields]) {
      expect(source).toContain('DescribeAccountQuota');
    }
  });

  it('notes what is not a present use', () => {
    expect(full.quotas.map((each) => collector.quotaNote(each))).toEqual([
      '',
      expect.stringContaining('month'),
      '',
    ]);
  });

  it('counts changes of limits, which begin at 0 again', () => {
    const raised = quotas(quota({ used: 2, limit: 20 }));
    const { record, changes } = answered(raised, answered(full).record);

    expect(collector.limits(record)).toMatchObject([{ limit: 20, raised: 1 }]);
    expect(collector.limits(collector.countFromZero(record))).toMatchObject([
      { limit: 20, raised: 0 },
    ]);
    expect(changes.map((change) => collectors.changeText(change))).toEqual([
      expect.stringContaining('20'),
    ]);
  });

  it('tells zones that come and go', () => {
    const moved = quotas(quota({ zone: 'ap-guangzhou-9', used: 2, limit: 10 }));
    const { changes } = answered(moved, answered(full).record);

    expect(changes.map((change) => collectors.changeText(change))).toEqual([
      'zone ap-guangzhou-3 disappeared',
      'zone ap-guangzhou-9 appeared',
    ]);
  });

  it('of another account is a new beginning, which keeps the counters', () => {
    const before = answered(quotas(quota({ used: 2, limit: 20 })), answered(full).record).record;
    const other = { ...quotas(quota({ zone: 'ap-guangzhou-9', used: 0, limit: 1 })), appId: 8 };
    const { record, changes } = answered(other, before);
    const back = answered({ ...full, appId: 8 }, record);

    expect(changes).toEqual([]);
    expect(collector.limits(back.record)).toMatchObject([
      { limit: 10, raised: 1, lowered: 0 },
      {},
      {},
    ]);
  });

  it('names zones that no answer had', () => {
    const selection = { ...target.selection, zones: ['ap-guangzhou-3', 'ap-guangzhou-5'] };
    const own: QuotaTarget = { ...target, selection };
    const { record } = answered({ ...full, selection }, collector.newRecord(own));

    expect(collector.neverAnswered(record, own)).toEqual(['zone ap-guangzhou-5']);
  });

  it('is stored, and read again, also after a failure', () => {
    const { record } = answered(full);
    const failure = { code: 'Timeout', message: 'late', requestId: 'b2da6ace', durationMs: 1 };
    const failed = advance(record, { ok: false, ...failure }, 2_000).record;

    expect(parseRecord(formatRecord(record), collectors)).toEqual(asStored(record));
    expect(parseRecord(formatRecord(failed), collectors)).toEqual(asStored(failed));
  });

  it.each([
    ['quota', { snapshot: { quotas: [full.quotas[0], full.quotas[0]] } }],
    ['limit', { limits: [1, 2].map(() => ({ ...full.quotas[0], raised: 0, lowered: 0 })) }],
  ])('is not read with a %s twice: its series would be there twice', (_what, repeated) => {
    const stored = JSON.parse(formatRecord(answered(full).record)) as {
      record: { snapshot: object };
    };
    const { record } = stored;
    const snapshot = { ...record.snapshot, ...('snapshot' in repeated ? repeated.snapshot : {}) };
    const text = JSON.stringify({ ...stored, record: { ...record, ...repeated, snapshot } });

    expect(() => parseRecord(text, collectors)).toThrow('not a stored record');
  });

  it('is shown in JSON', () => {
    expect(collector.json(full)).toEqual({
      app_id: full.appId,
      quotas: expect.arrayContaining([
        {
          quota_type: 'prepaid',
          zone: 'ap-guangzhou-3',
          unit: 'instances',
          used: 0,
          remaining: 5,
          limit: 5,
          once_limit: 3,
        },
      ]) as unknown,
      disaster_recover_group_instance_limits: { host: 50, switch: null, rack: 0 },
    });
  });
});

describe('the metrics that only quotas of an account have', () => {
  const samples = (record: TargetRecord, isFresh = true) =>
    Object.fromEntries(
      collector.families.map(({ name, samples: of }) => [name, of(viewOf(record, { isFresh }))]),
    );
  const none = {
    cvm_quota_once_limit: [],
    cvm_disaster_recover_group_instance_limit: [],
    cvm_account_info: [],
  };

  it('are the maximum of a purchase, the limits of placement groups, and the account', () => {
    const { record } = answered(full);

    expect(samples(record)).toEqual({
      cvm_quota_once_limit: [
        {
          labels: { zone: 'ap-guangzhou-3', quota_type: 'prepaid', unit: 'instances' },
          value: 3,
        },
      ],
      cvm_disaster_recover_group_instance_limit: [
        { labels: { level: 'host' }, value: 50 },
        { labels: { level: 'rack' }, value: 0 },
      ],
      cvm_account_info: [{ labels: { app_id: full.appId }, value: 1 }],
    });
    expect(collector.families.map(({ type }) => type)).toEqual(['gauge', 'gauge', 'gauge']);
  });

  it('have the labels of the account', () => {
    const view = viewOf(answered(full).record, { accountLabels: { team: 'web' } });

    expect(collector.families.at(-1)?.samples(view)).toEqual([
      { labels: { app_id: full.appId, team: 'web' }, value: 1 },
    ]);
  });

  it('are absent without a fresh answer that has them', () => {
    const { record } = answered({ ...full, quotas: [], groupInstanceLimits: null, appId: null });

    expect(samples(record)).toEqual(none);
    expect(samples(answered(full).record, false)).toEqual(none);
    expect(samples(collector.newRecord(target))).toEqual(none);
  });
});
