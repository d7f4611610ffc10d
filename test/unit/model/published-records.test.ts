import { beforeEach, expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import type { Change } from '../../../src/model/change.ts';
import { maxChanges, PublishedRecords } from '../../../src/model/published-records.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import { targetKey, type Target } from '../../../src/model/target.ts';
import { quotaRecord } from '../../support/records.ts';

const guangzhou = quotaRecord('ap-guangzhou');
const shanghai = quotaRecord('ap-shanghai');
const key = targetKey(guangzhou.target);

const change = (atMs: number): Change => ({
  kind: 'zone-appeared',
  atMs,
  account: 'production',
  region: 'ap-guangzhou',
  operation: 'DescribeAccountQuota',
  quotaType: null,
  zone: 'z1',
  from: null,
  to: 'z1',
});
const withChanges = (record: TargetRecord, ...times: number[]): TargetRecord => ({
  ...record,
  durable: { ...record.durable, recentChanges: times.map(change) },
});

let published: PublishedRecords;

const watch = (...targets: Target[]) => {
  published.setTargets(targets, (target) => collectors.of(target));
};
const add = (...records: TargetRecord[]) => {
  for (const record of records) published.publish(record);
};
const times = () => published.changes().map(({ atMs }) => atMs);

beforeEach(() => {
  published = new PublishedRecords();
});

it('published records are those of the watched targets, in the order of the plan; a stored one goes on', () => {
  add(shanghai);

  watch(guangzhou.target, shanghai.target);

  expect(published.all().map(({ target }) => target)).toEqual([guangzhou.target, shanghai.target]);
  expect(published.all()[1]).toBe(shanghai);
  expect(published.get(key)?.observed.freshness.lastPoll).toBeNull();
  expect(published.gone()).toEqual([]);
});

it('published records of a target that a plan leaves out are kept, and go on with the plan that has it again', () => {
  add(guangzhou, shanghai);
  watch(guangzhou.target, shanghai.target);

  watch(shanghai.target);

  expect(published.get(key)).toBeUndefined();
  expect(published.getOrGone(key)).toBe(guangzhou);
  expect(published.gone()).toEqual([guangzhou]);
  watch(guangzhou.target);
  expect(published.get(key)).toBe(guangzhou);
});

it('published records that are published for a target that is gone, or was never known, are not shown', () => {
  watch(shanghai.target);
  published.publish(guangzhou);

  published.publish(quotaRecord('ap-guangzhou', 9));

  expect(published.all().map(({ target }) => target)).toEqual([shanghai.target]);
  expect(published.getOrGone(key)).toEqual(quotaRecord('ap-guangzhou', 9));
});

it('the feed of changes is what all records remember, in the order of time', () => {
  add(withChanges(guangzhou, 1, 4), withChanges(shanghai, 2, 3));

  expect(times()).toEqual([1, 2, 3, 4]);
});

it('the feed of changes keeps the changes of a target that is gone until its record is forgotten', () => {
  add(withChanges(guangzhou, 1), withChanges(shanghai, 2));
  watch(guangzhou.target, shanghai.target);

  watch(shanghai.target);
  expect(times()).toEqual([1, 2]);

  published.forget(key);
  expect(times()).toEqual([2]);
});

it('the feed of changes has the newest of more changes than it holds', () => {
  const all = Array.from({ length: maxChanges + 5 }, (_, atMs) => atMs);
  add(withChanges(guangzhou, ...all));

  expect(times()).toHaveLength(maxChanges);
  expect(times()[0]).toBe(5);
});

it('the feed of changes is the same object until a record has other changes', () => {
  const record = withChanges(guangzhou, 1);
  published.publish(record);
  watch(record.target);
  const feed = published.changes();

  published.publish({ ...record, observed: { ...record.observed } });
  expect(published.changes()).toBe(feed);

  published.publish(withChanges(record, 1, 2));
  expect(times()).toEqual([1, 2]);
});
