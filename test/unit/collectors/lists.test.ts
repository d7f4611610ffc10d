import { expect, it } from 'vitest';
import { z } from 'zod';
import { readList, readWholeList, type PagedSet } from '../../../src/collectors/lists.ts';
import type { Ask } from '../../../src/collectors/collector.ts';
import { rowsOf } from '../../support/rows.ts';

const schema = z.object({ Id: z.string() });
const set: PagedSet<typeof schema> = { name: 'Set', noun: 'things', id: schema, schema };
const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ Id: `id-${from + i}` }));

/** Reads a list from a service with these pages by their offset. */
async function read(
  pageAt: (offset: number) => readonly unknown[],
  total: number | null,
  more: Partial<typeof set> = {},
) {
  const offsets: number[] = [];
  const ask: Ask = async (parameters, readPage) => {
    const { Offset, Limit } = Object.fromEntries(parameters);
    expect(Limit).toBe('100');
    offsets.push(Number(Offset));
    if (offsets.length > 201) throw new Error('endless');
    const fields = { TotalCount: total, Set: pageAt(Number(Offset)) };
    return Promise.resolve(readPage({ fields, requestId: 'r' }));
  };
  const { anomalies, names, total: listedTotal } = await readList(ask, [], { ...set, ...more });
  const lacks = anomalies.filter(({ isHarmless }) => isHarmless !== true);
  return { offsets, names: names.length, lacks: lacks.length, total: listedTotal, anomalies };
}
/** Each page by its offset, as ranges of IDs: `0-3 0-1` has three, of which the first is there twice. */
type Pages = Readonly<Record<number, string>>;
const idsOf = (page = '') =>
  (page.match(/\d+-\d+/g) ?? []).flatMap((range) => {
    const [from, to] = range.split('-').map(Number);
    return ids(from!, to!);
  });

it.each(rowsOf<[string, Pages, total: number | null, object]>('collectors', 'lists-of-pages'))(
  'a list of pages %s',
  async (_what, pages, total, expected) => {
    expect(await read((offset) => idsOf(pages[offset]), total)).toMatchObject(expected);
  },
);

it.each<[string, (offset: number) => readonly unknown[], number | null]>([
  ['of more rows than are read', (offset) => ids(offset, offset + 500), 99_999],
  ['of more pages than are read', (offset) => ids(offset, offset + 1), 20_000],
  ['without a row that can be read', () => [{}], 1],
  ['that is empty although it counts rows', () => [], 7],
  ['that is empty and does not count', () => [], null],
])('a list of pages %s is invalid', async (_what, pageAt, total) => {
  await expect(read(pageAt, total)).rejects.toMatchObject({
    code: 'InvalidResponse',
    requestId: 'r',
  });
});

it('a list of pages that is empty and says so is empty, unless it always has a row', async () => {
  expect(await read(() => [], 0)).toMatchObject({ names: 0, lacks: 0, total: 0 });
  await expect(read(() => [], 0, { isNeverEmpty: true })).rejects.toMatchObject({
    code: 'InvalidResponse',
  });
});

it('a list of pages that has as many rows as are read is whole', async () => {
  const rows = (offset: number) => ids(offset, offset + 500);

  expect(await read(rows, 20_000)).toMatchObject({ names: 20_000, lacks: 0 });
});

it('a list without pages is asked for once, is whole without a total, and may be left out', async () => {
  const of = (fields: object) => {
    const ask: Ask = async (parameters, readPage) => {
      expect(parameters).toEqual([]);
      return Promise.resolve(readPage({ fields, requestId: 'r' }));
    };
    return readWholeList(ask, set);
  };

  expect(await of({ Set: ids(0, 3) })).toMatchObject({ total: 3, anomalies: [] });
  expect(await of({ TotalCount: 0 })).toMatchObject({ total: 0, names: [] });
});
