import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/model/change.ts';
import { PublishedRecords, maxChanges } from '../../../src/model/published-records.ts';
import { targetKey } from '../../../src/model/target.ts';
import { quotaRecord } from '../../helpers/records.ts';

const guangzhou = quotaRecord('ap-guangzhou');
const shanghai = quotaRecord('ap-shanghai');

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
const changes = (...times: number[]) => times.map(change);

describe('PublishedRecords', () => {
  it('holds the newest record of every target, in the order they came', () => {
    const published = new PublishedRecords();
    published.replaceAll([guangzhou, shanghai]);
    const newer = quotaRecord('ap-guangzhou', 9);

    published.publish(newer);

    expect(published.all()).toEqual([newer, shanghai]);
    expect(published.get(targetKey(guangzhou.target))).toBe(newer);
    expect(published.get('unknown')).toBeUndefined();
  });

  it('forgets targets that are configured no more', () => {
    const published = new PublishedRecords();
    published.replaceAll([guangzhou, shanghai]);

    published.replaceAll([shanghai]);

    expect(published.all()).toEqual([shanghai]);
  });

  it('shows the counters of a target that went before its record was read from its next attempt on', () => {
    const published = new PublishedRecords();
    published.replaceAll([guangzhou]);
    published.setProvisional(targetKey(guangzhou.target), true);
    published.publish(quotaRecord('ap-guangzhou', 9));
    published.replaceAll([]);
    const stored = quotaRecord('ap-guangzhou', 8);

    published.replaceAll([stored]);

    expect(published.showsCounters(stored)).toBe(false);
    published.publish(stored);
    expect(published.showsCounters(stored)).toBe(true);
  });

  it('hides the counters of a target until its stored record is read, also over a reload', () => {
    const published = new PublishedRecords();
    const key = targetKey(guangzhou.target);
    published.replaceAll([guangzhou]);
    published.setProvisional(key, true);
    published.publish(quotaRecord('ap-guangzhou', 9));

    published.replaceAll([guangzhou, shanghai]);

    expect(published.isProvisional(key)).toBe(true);
    expect(published.isProvisional(targetKey(shanghai.target))).toBe(false);
    const read = quotaRecord('ap-guangzhou', 8);
    published.setProvisional(key, false);
    published.replace(read);
    expect(published.isProvisional(key)).toBe(false);
    expect(published.showsCounters(read)).toBe(true);
  });

  it('has another revision after everything that changes it', () => {
    const published = new PublishedRecords();
    const revisions = [published.revision];

    published.replaceAll([guangzhou]);
    revisions.push(published.revision);
    published.publish(guangzhou);
    revisions.push(published.revision);

    expect(new Set(revisions).size).toBe(3);
  });

  it('has another revision only when it begins or ends to hide counters', () => {
    const published = new PublishedRecords();

    const revisions = [false, true, true, false].map((areHidden) => {
      published.hideCounters(areHidden);
      return published.revision;
    });

    expect(revisions).toEqual([0, 1, 1, 2]);
  });

  it.each([1, 2])(
    'keeps a bounded feed of changes, the newest last, after %i times as many',
    (times) => {
      const published = new PublishedRecords();
      const count = times * maxChanges + 5;
      for (let atMs = 0; atMs < count; atMs += 1) {
        published.publish(guangzhou, changes(atMs));
      }

      expect(published.changes()).toHaveLength(maxChanges);
      expect(published.changes().at(0)?.atMs).toBe(count - maxChanges);
      expect(published.changes().at(-1)?.atMs).toBe(count - 1);
    },
  );

  it('refills an empty feed from what the records remember, in the order of time', () => {
    const published = new PublishedRecords();

    published.replaceAll([
      { ...guangzhou, recentChanges: changes(1, 4) },
      { ...shanghai, recentChanges: changes(2, 3) },
    ]);

    expect(published.changes()).toEqual(changes(1, 2, 3, 4));
  });

  it('refills the feed with a bounded number of changes, the newest', () => {
    const published = new PublishedRecords();
    const times = Array.from({ length: maxChanges + 5 }, (_, atMs) => atMs);

    published.replaceAll([{ ...guangzhou, recentChanges: changes(...times) }]);

    expect(published.changes()).toHaveLength(maxChanges);
    expect(published.changes()[0]?.atMs).toBe(5);
  });

  it('adds what the records of targets remember that are found later', () => {
    const published = new PublishedRecords();
    const found = { ...shanghai, recentChanges: changes(2, 3) };
    published.replaceAll([{ ...guangzhou, recentChanges: changes(1) }]);
    published.publish(guangzhou, changes(4));

    published.replaceAll([guangzhou, found]);

    expect(published.changes()).toEqual(changes(1, 2, 3, 4));
  });

  it('tells no change twice when a target is removed and returns', () => {
    const published = new PublishedRecords();
    const record = { ...guangzhou, recentChanges: changes(1, 2) };
    published.replaceAll([record, shanghai]);
    published.replaceAll([shanghai]);
    const feed = published.changes();

    published.replaceAll([structuredClone(record), shanghai]);

    expect(published.changes()).toBe(feed);
    expect(feed).toEqual(changes(1, 2));
  });

  it('has the same feed until something changes', () => {
    const published = new PublishedRecords();
    published.publish(guangzhou, changes(1));
    const feed = published.changes();

    published.publish(guangzhou);
    published.replace(shanghai);
    published.addChanges([]);

    expect(published.changes()).toBe(feed);
    expect(feed).toEqual(changes(1));
  });

  it('tells no change twice after a reload', () => {
    const published = new PublishedRecords();
    const record = { ...guangzhou, recentChanges: changes(1, 2) };
    published.replaceAll([record]);

    published.replaceAll([record, shanghai]);

    expect(published.changes()).toEqual(changes(1, 2));
  });
});
