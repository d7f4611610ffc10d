/** What every store must do, whatever it keeps records in. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { targetKey } from '../../../src/model/target.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import type { Store } from '../../../src/state/store.ts';
import { arbitraryRecord } from '../../helpers/arbitraries.ts';
import { quotaRecord } from '../../helpers/records.ts';

const byKey = (records: readonly TargetRecord[]) =>
  new Map(records.map((record) => [targetKey(record.target), record]));

export function describeStoreContract(name: string, openEmpty: () => Promise<Store>): void {
  describe(`${name}, as every store,`, () => {
    it('has no record at first', async () => {
      const store = await openEmpty();

      expect(await store.load()).toEqual({ records: [], damaged: [] });
      await store.close();
    });

    it('gives back the record of every target that was saved', async () => {
      const store = await openEmpty();
      const records = [quotaRecord('ap-guangzhou'), quotaRecord('ap-shanghai')];

      await Promise.all(records.map((record) => store.save(record)));

      const report = await store.load();
      expect(byKey(report.records)).toEqual(byKey(records));
      await store.close();
    });

    it('keeps the last of many records saved at once for one target', async () => {
      const store = await openEmpty();
      const limits = Array.from({ length: 50 }, (_, index) => index + 2);

      await Promise.all(limits.map((limit) => store.save(quotaRecord('ap-guangzhou', limit))));

      expect((await store.load()).records).toEqual([quotaRecord('ap-guangzhou', 51)]);
      await store.close();
    });

    it('gives back any record exactly as it was saved', async () => {
      const records = fc.uniqueArray(arbitraryRecord, {
        selector: ({ target }) => targetKey(target),
        maxLength: 4,
      });
      await fc.assert(
        fc.asyncProperty(records, async (saved) => {
          const store = await openEmpty();
          await Promise.all(saved.map((record) => store.save(record)));

          const report = await store.load();

          expect(report.damaged).toEqual([]);
          expect(byKey(report.records)).toEqual(byKey(saved));
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

      expect(byKey((await store.load()).records)).toEqual(byKey(records));
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

      await expect(store.save(quotaRecord('a'))).rejects.toMatchObject({ code: 'closed' });
      await expect(store.load()).rejects.toMatchObject({ code: 'closed' });
    });
  });
}
