/** What every store must do, whatever it keeps records in. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { targetKey } from '../../../src/model/target.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import type { Store } from '../../../src/state/store.ts';
import { arbitraryRecord } from '../../helpers/arbitraries.ts';
import { asStored, quotaRecord, targetsOf } from '../../helpers/records.ts';

const byKey = (records: readonly TargetRecord[]) =>
  new Map(records.map((record) => [targetKey(record.target), record]));

export function describeStoreContract(name: string, openEmpty: () => Promise<Store>): void {
  describe(`${name}, as every store,`, () => {
    it('has no record at first', async () => {
      const store = await openEmpty();

      const targets = targetsOf(quotaRecord('ap-guangzhou'));

      expect(await store.load(targets)).toEqual({ records: [], damaged: [], unread: [] });
      await store.close();
    });

    it('gives back the record of every target that was saved', async () => {
      const store = await openEmpty();
      const records = [quotaRecord('ap-guangzhou'), quotaRecord('ap-shanghai')];

      await Promise.all(records.map((record) => store.save(record)));

      const report = await store.load(targetsOf(...records));
      expect(byKey(report.records)).toEqual(byKey(records));
      await store.close();
    });

    it('gives back the records that it is asked for, and no others', async () => {
      const store = await openEmpty();
      const [asked, other] = [quotaRecord('ap-guangzhou'), quotaRecord('ap-shanghai')];
      await Promise.all([store.save(asked), store.save(other)]);

      const report = await store.load(targetsOf(asked, quotaRecord('ap-beijing')));

      expect(report).toEqual({ records: [asked], damaged: [], unread: [] });
      await store.close();
    });

    it('keeps the last of the records saved one after the other for one target', async () => {
      const store = await openEmpty();
      const last = quotaRecord('ap-guangzhou', 6);

      for (const limit of [2, 3, 4, 5]) await store.save(quotaRecord('ap-guangzhou', limit));
      await store.save(last);

      expect((await store.load(targetsOf(last))).records).toEqual([last]);
      await store.close();
    });

    it('removes no record of a target that is live, nor a young one', async () => {
      const store = await openEmpty();
      const [live, gone] = [quotaRecord('ap-guangzhou'), quotaRecord('ap-shanghai')];
      await Promise.all([store.save(live), store.save(gone)]);

      const removed = await store.removeGone(({ region }) => region === live.target.region);

      expect(removed).toEqual([]);

      const { records } = await store.load(targetsOf(live, gone));
      expect(byKey(records)).toEqual(byKey([live, gone]));
      await store.close();
    });

    it('gives back any record exactly as it was saved, without the counters of polls', async () => {
      const records = fc.uniqueArray(arbitraryRecord, {
        selector: ({ target }) => targetKey(target),
        maxLength: 4,
      });
      await fc.assert(
        fc.asyncProperty(records, async (saved) => {
          const store = await openEmpty();
          await Promise.all(saved.map((record) => store.save(record)));

          const report = await store.load(targetsOf(...saved));

          expect(report.damaged).toEqual([]);
          expect(byKey(report.records.map(asStored))).toEqual(byKey(saved.map(asStored)));
          await store.close();
        }),
      );
    });

    it.each([
      ['leaves the directory', '../../escape'],
      ['is a path', '/etc/passwd'],
      ['holds a NUL byte', 'a\0b'],
      ['is longer than a file name', 'r'.repeat(400)],
      ['is not ASCII', '广州'],
      ['looks like a temporary file', 'x.tmp-00000000-0000-0000-0000-000000000000'],
    ])('keeps a target apart whose name %s', async (_, region) => {
      const store = await openEmpty();
      const records = [quotaRecord(region), quotaRecord(`${region}2`), quotaRecord('ap-guangzhou')];

      await Promise.all(records.map((record) => store.save(record)));

      expect(byKey((await store.load(targetsOf(...records))).records)).toEqual(byKey(records));
      await store.close();
    });

    it('finishes the saves under way when it is closed', async () => {
      const store = await openEmpty();
      const saves = ['a', 'b', 'c', 'd', 'e'].map((region) => store.save(quotaRecord(region)));

      await store.close();

      await expect(Promise.all(saves)).resolves.toHaveLength(5);
    });

    it('refuses to load and to save once it is closed, and closes twice without complaint', async () => {
      const store = await openEmpty();
      await store.close();

      await store.close();

      const failure = { name: 'StoreError', code: 'closed' };
      await expect(store.save(quotaRecord('a'))).rejects.toMatchObject(failure);
      await expect(store.load([])).rejects.toMatchObject(failure);
    });
  });
}
