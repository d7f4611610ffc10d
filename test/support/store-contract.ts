/** Contracts of the stores in files, in Redis and in memory, as tests that each store's own test file runs. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TargetRecord } from '../../src/model/record.ts';
import { targetKey } from '../../src/model/target.ts';
import type { Store } from '../../src/storage/file-store.ts';
import { arbitraryRecord } from './arbitraries.ts';
import { asStored, quotaRecord } from './records.ts';

const byKey = (records: readonly TargetRecord[]) =>
  new Map(records.map((record) => [targetKey(record.target), asStored(record)]));

export function testStoreContract(
  name: string,
  openEmpty: () => Promise<Pick<Store, 'load' | 'save'> & Partial<Pick<Store, 'close'>>>,
): void {
  it(`${name} gives back every record exactly as it was saved, without the counters of polls`, async () => {
    const records = fc.uniqueArray(arbitraryRecord, {
      selector: ({ target }) => targetKey(target),
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(records, async (saved) => {
        const store = await openEmpty();
        await Promise.all(saved.map((record) => store.save(record)));

        const report = await store.load();

        expect(report.damaged).toBe(0);
        expect(byKey(report.records)).toEqual(byKey(saved));
        await store.close?.();
      }),
    );
  });

  it(`${name} keeps the last of the records saved one after the other for one target`, async () => {
    const store = await openEmpty();
    const last = quotaRecord('ap-guangzhou', 6);

    for (const limit of [2, 3, 4, 5]) await store.save(quotaRecord('ap-guangzhou', limit));
    await store.save(last);

    expect((await store.load()).records).toEqual([last]);
    await store.close?.();
  });

  it.each([
    ['looks like a temporary file', 'x.json.tmp'],
    ['looks like the lock', 'lock.1'],
  ])(`${name} keeps a target apart whose name %s`, async (_, region) => {
    const store = await openEmpty();
    const records = [quotaRecord(region), quotaRecord(`${region}2`), quotaRecord('ap-guangzhou')];

    await Promise.all(records.map((record) => store.save(record)));

    expect(byKey((await store.load()).records)).toEqual(byKey(records));
    await store.close?.();
  });
}

/** For stores that one daemon alone uses, and closes at its stop. */
export function testClosedStore(name: string, openEmpty: () => Promise<Store>): void {
  it(`${name} finishes the saves under way when it is closed, then refuses others`, async () => {
    const store = await openEmpty();
    const saves = ['a', 'b', 'c', 'd', 'e'].map((region) => store.save(quotaRecord(region)));

    await store.close();
    await store.close();

    await expect(Promise.all(saves)).resolves.toHaveLength(5);
    await expect(store.save(quotaRecord('a'))).rejects.toMatchObject({ code: 'closed' });
  });
}

/** A storage that a store can be opened on again. */
interface Reopened {
  /** The test closes it before it opens another one. */
  readonly open: () => Promise<Pick<Store, 'load' | 'save'> & Partial<Pick<Store, 'close'>>>;
  /** Changes what is stored of a target. */
  readonly replaceText: (key: string, replace: (text: string) => string) => Promise<void>;
  /** Everything that is stored. */
  readonly contents: () => Promise<unknown>;
}

/** For stores that outlive the process: what they do with records of a newer version of the program. */
export function testNewerForm(name: string, createStorage: () => Promise<Reopened>): void {
  it(`${name} that holds a record of a newer form refuses to be read, names it, and changes nothing`, async () => {
    const { contents, open, replaceText } = await createStorage();
    const [newer, damaged, whole] = ['ap-a', 'ap-b', 'ap-c'].map((region) => quotaRecord(region));
    const key = targetKey(newer!.target);
    const writer = await open();
    await Promise.all([newer!, damaged!, whole!].map((record) => writer.save(record)));
    await writer.close?.();
    await replaceText(key, (text) => text.replace('"version":1', '"version":2'));
    await replaceText(targetKey(damaged!.target), () => '{"hello":"world"}');
    const before = await contents();
    const store = await open();

    const loading = store.load();

    await expect(loading).rejects.toMatchObject({ name: 'StoreError', code: 'newer-form' });
    await expect(loading).rejects.toThrow(key);
    await expect(loading).rejects.toThrow('form 2');
    expect(await contents()).toEqual(before);
    await store.close?.();
  });
}
