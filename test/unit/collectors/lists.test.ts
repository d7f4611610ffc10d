import { expect, it } from 'vitest';
import { z } from 'zod';
import { readList, readWholeList, type PagedSet } from '../../../src/collectors/lists.ts';
import type { Ask } from '../../../src/collectors/collector.ts';

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
const all = (count: number) => (offset: number) => ids(0, count).slice(offset, offset + 100);

it.each<[string, (offset: number) => readonly unknown[], number | null, object]>([
  ['ends with its total', all(250), 250, { offsets: [0, 100, 200], names: 250, lacks: 0 }],
  ['of one page needs one request', all(3), 3, { offsets: [0], names: 3, lacks: 0 }],
  [
    'without a total ends with an empty page',
    all(150),
    null,
    { offsets: [0, 100, 150], names: 150, lacks: 0 },
  ],
  [
    'of smaller pages goes on',
    (offset) => all(50)(offset).slice(0, 20),
    50,
    { offsets: [0, 20, 40], names: 50 },
  ],
  [
    'ends with an empty page below its total',
    all(150),
    180,
    { offsets: [0, 100, 150], lacks: 1, total: 180 },
  ],
  [
    'of a service that ignores Offset ends',
    () => ids(0, 100),
    250,
    { offsets: [0, 100], lacks: 1, total: 250 },
  ],
  [
    'without a total, of such a service, is not whole',
    () => ids(0, 3),
    null,
    { offsets: [0, 3], lacks: 1, total: 4, anomalies: [{ kind: 'total-count-mismatch' }] },
  ],
  [
    'that grew while it was read has a row twice',
    (offset) => (offset === 0 ? ids(0, 100) : ids(99, 150)),
    151,
    { names: 150, lacks: 1, total: 151 },
  ],
  [
    'that has a row twice, beside as many as it counts, is whole',
    () => [...ids(0, 3), ...ids(0, 1)],
    3,
    { names: 3, lacks: 0, total: 3 },
  ],
  [
    'that shrank while it was read may lack a row',
    (offset) => (offset === 0 ? ids(0, 100) : ids(101, 150)),
    149,
    { names: 149, lacks: 0, total: 149 },
  ],
])('a list of pages %s', async (_what, pageAt, total, expected) => {
  expect(await read(pageAt, total)).toMatchObject(expected);
});

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
