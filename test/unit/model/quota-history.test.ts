import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { english } from '../../../src/model/texts/texts.ts';
import { changeOf } from '../../../src/model/change.ts';
import { type Quota, isReportable, quotaKey } from '../../../src/model/quota.ts';
import {
  compareQuotas,
  lastKnownQuotas,
  maxAbsentQuotas,
  durableQuotaFields,
  withGoneSince,
  type DurableQuotas,
} from '../../../src/model/quota-history.ts';
import { rowsOf } from '../../support/rows.ts';

const quota = (fields: Partial<Quota>): Quota => ({
  type: 'subnet_addresses',
  zone: 'ap-x-1',
  unit: 'addresses',
  used: 1,
  remaining: 9,
  limit: 10,
  ...fields,
});
const subnet = (subnet_id: string, limit = 10) => quota({ labels: { subnet_id }, limit });
const nothing: DurableQuotas = { histories: [], wholeSets: [] };
const next = (before: DurableQuotas, ...quotas: readonly Quota[]) =>
  compareQuotas(before, { quotas }, 1_000);
const after = (...polls: readonly (readonly Quota[])[]) =>
  polls.reduce((before, quotas) => next(before, ...quotas).durable, nothing);

it('the known quotas of a target of one type and zone are kept apart by their labels', () => {
  const before = after([subnet('subnet-a'), subnet('subnet-b')]);

  const { differences, durable, missing } = next(before, subnet('subnet-b', 12));

  const labels = { subnet_id: 'subnet-b' };
  expect(differences).toMatchObject([
    { kind: 'quota-limit-raised', extraLabels: labels, from: 10, to: 12 },
  ]);
  expect(missing).toEqual(['subnet_addresses quota subnet-a in ap-x-1: no row in the answer']);
  expect(durable.histories).toMatchObject([{ labels }, { labels: { subnet_id: 'subnet-a' } }]);
  expect(next(durable, subnet('subnet-b', 9)).differences).toMatchObject([
    { kind: 'quota-limit-lowered', from: 12, to: 9 },
  ]);
  expect(next(durable, subnet('subnet-b', 9)).durable.histories).toMatchObject([
    { raised: 1, lowered: 1, loweredAtMs: 1_000, limit: 9 },
    { raised: 0, lowered: 0 },
  ]);
});

it.each([
  [{}, 'subnet_addresses/ap-x-1'],
  [{ zone: null }, 'subnet_addresses'],
  [{ labels: { subnet_id: 'subnet-a' } }, 'subnet_addresses/ap-x-1/subnet-a'],
])('the known quotas of a target are stored once each, by a key: %j', (fields, key) => {
  const [history] = after([quota(fields)]).histories;

  expect(quotaKey(history!)).toBe(key);
  expect(durableQuotaFields.histories.safeParse([history]).success).toBe(true);
  expect(durableQuotaFields.histories.safeParse([history, history]).success).toBe(false);
});

it.each(rowsOf<[Partial<Quota>, boolean]>('model', 'reportable-quotas'))(
  'a quota that a target can report has one of its types, zones and resources: %j, %j',
  (fields, is) => {
    const type = 'subnet_addresses';
    const reportable = [
      { type, zones: ['ap-x-1'], resources: ['subnet-a'] },
      { type: 'postpaid', zones: null },
    ];

    expect(isReportable(reportable, quota(fields))).toBe(is);
  },
);

it('the known quotas of a target keep their limit while they are unreadable, and are new when they never were read', () => {
  const before = after([quota({}), quota({ zone: null })]);
  const unreadable = [quota({}), quota({ zone: 'ap-x-2' })];

  const { differences, durable, missing } = compareQuotas(
    before,
    { quotas: [], unreadable },
    1_000,
  );

  expect(differences).toMatchObject([{ kind: 'quota-appeared', zone: 'ap-x-2', to: null }]);
  expect(missing).toEqual(['subnet_addresses quota: no row in the answer']);
  expect(durable.histories).toMatchObject([
    { zone: 'ap-x-1', limit: 10, absence: null },
    { zone: 'ap-x-2', limit: null, absence: null },
    { zone: null, limit: 10, absence: { polls: 1 } },
  ]);
});

it('the last numbers of quotas are kept while an answer lacks them, and those of the account before are not', () => {
  const [a, b] = [subnet('subnet-a'), subnet('subnet-b')];
  const noUse = { ...a, used: null, remaining: null };
  const { histories } = after([a, b], [b]);
  const keys = (...quotas: Parameters<typeof lastKnownQuotas>) =>
    lastKnownQuotas(...quotas).map((each) => quotaKey(each));

  expect(keys([a, b], [a, b], histories)).toEqual([]);
  expect(lastKnownQuotas([{ ...a, onceLimit: 3 }, b], [b], histories)).toEqual([a]);
  expect(lastKnownQuotas([a, b], [noUse, b], histories)).toEqual([a]);
  expect(keys([noUse, b], [b], histories)).toEqual([]);
  expect(keys([a, b], [b], [])).toEqual([]);
});

it('the last numbers of quotas that disappeared are shown for 7 days', () => {
  const gone = after([quota({})], [], [], [], []);
  const dayMs = 24 * 3_600_000;
  const shownAt = (days: number) =>
    withGoneSince([quota({})], gone.histories, 1_000 + days * dayMs).map(
      ({ goneSinceMs }) => goneSinceMs,
    );

  expect([shownAt(0), shownAt(6.99), shownAt(7)]).toEqual([[1_000], [1_000], []]);
  const missing = after([quota({})], [], [], []).histories;
  expect(withGoneSince([quota({})], missing, 8 * dayMs)).toEqual([
    { quota: quota({}), goneSinceMs: null },
  ]);
});

it('the known quotas of a target that are absent are remembered up to a bound, those that are missing first', () => {
  const many = Array.from({ length: maxAbsentQuotas + 10 }, (_, i) => quota({ zone: `z-${i}` }));
  const gone = after(many, [], [], [], []);
  expect(gone.histories.every(({ isKnown }) => !isKnown)).toBe(true);

  const { histories } = next(after(many, [], [], [], [], [quota({})])).durable;

  expect(histories).toHaveLength(maxAbsentQuotas);
  expect(histories[0]).toMatchObject({ zone: 'ap-x-1', isKnown: true, absence: { polls: 1 } });
});

it.each([
  [{ kind: 'quota-limit-raised', from: 1, to: 2 }, 'spotpaid limit raised from 1 to 2 in z-1'],
  [{ kind: 'quota-disappeared', from: 1, to: null }, 'spotpaid quota disappeared in z-1'],
  [{ kind: 'quota-appeared', from: null, to: 2 }, 'spotpaid quota appeared in z-1'],
] as const)('the known quotas of a target change in words', (difference, text) => {
  const place = { account: 'a', region: 'r', operation: 'DescribeAccountQuota' };
  const change = changeOf(place, 0, { ...difference, quotaType: 'spotpaid', zone: 'z-1' });

  expect(collectors.changeText(change, english)).toBe(text);
});
