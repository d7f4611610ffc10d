import { describe, expect, it } from 'vitest';
import { advance } from '../../../src/model/advance.ts';
import { continueRecord, newRecord, type TargetRecord } from '../../../src/model/record.ts';
import { quotaKey, type QuotaSnapshot } from '../../../src/model/snapshot.ts';
import type { QuotaSelection, Target } from '../../../src/model/target.ts';
import { quotaSnapshot } from '../../helpers/snapshots.ts';

const all: QuotaSelection = {
  quotaTypes: ['postpaid', 'disaster_recover_group', 'image'],
  zones: null,
};
const target = (selection: QuotaSelection): Target => ({
  operation: 'DescribeAccountQuota',
  account: 'production',
  region: 'ap-guangzhou',
  selection,
});
const template: Target = {
  operation: 'DescribeLaunchTemplateVersions',
  account: 'production',
  region: 'ap-guangzhou',
  templateId: 'lt-b8v1kcyq',
};

const row = { used: 1, remaining: 9, limit: 10, onceLimit: null };
const answer: QuotaSnapshot = quotaSnapshot({
  appId: 1,
  selection: all,
  quotas: [
    { type: 'postpaid', zone: 'z1', ...row },
    { type: 'postpaid', zone: 'z2', ...row },
    { type: 'image', zone: null, ...row },
    { type: 'disaster_recover_group', zone: null, ...row },
  ],
  groupInstanceLimits: { host: 1, switch: 2, rack: 3 },
});

const poll = (record: TargetRecord, snapshot: QuotaSnapshot) =>
  advance(record, { ok: true, snapshot, anomalies: [], durationMs: 1 }, 1);

const stored = poll(newRecord(target(all)), answer).record;

function continued(selection: QuotaSelection) {
  const record = continueRecord(stored, target(selection));
  if (record.kind !== 'quota' || record.snapshot === null) throw new Error('no snapshot');
  return { record, keys: record.snapshot.quotas.map(quotaKey), snapshot: record.snapshot };
}

describe('continueRecord', () => {
  it('keeps all of a record whose selection is the same', () => {
    expect(continueRecord(stored, target(all))).toEqual(stored);
  });

  it.each<[string, QuotaSelection, string[]]>([
    ['one zone', { ...all, zones: ['z2'] }, ['postpaid/z2', 'image', 'disaster_recover_group']],
    ['one type', { quotaTypes: ['image'], zones: null }, ['image']],
    ['another zone', { ...all, zones: ['z9'] }, ['image', 'disaster_recover_group']],
  ])('takes out of the snapshot what a selection of %s leaves out', (_, selection, expected) => {
    expect(continued(selection).keys).toEqual(expected);
  });

  it('keeps the limits of placement groups as long as those are selected', () => {
    expect(continued(all).snapshot.groupInstanceLimits).toEqual(answer.groupInstanceLimits);
    expect(
      continued({ quotaTypes: ['image'], zones: null }).snapshot.groupInstanceLimits,
    ).toBeNull();
  });

  it('keeps the counters of what is selected no more', () => {
    const { record } = continued({ quotaTypes: ['image'], zones: null });

    expect(record.limits).toEqual(stored.kind === 'quota' && stored.limits);
  });

  it.each<[string, QuotaSelection]>([
    ['zones', { ...all, zones: ['z1'] }],
    ['types', { quotaTypes: ['image'], zones: null }],
  ])('takes no zone for new when its %s are narrowed and widened again', (_, narrow) => {
    const widened = continueRecord(continueRecord(stored, target(narrow)), target(all));

    expect(poll(widened, answer).changes).toEqual([]);
  });

  it('starts anew for a target of another kind', () => {
    expect(continueRecord(stored, template)).toEqual(newRecord(template));
  });

  it('keeps a template’s record', () => {
    expect(continueRecord(newRecord(template), template)).toEqual(newRecord(template));
  });
});
