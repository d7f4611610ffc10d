import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readTemplateList,
  type ListPage,
  type ListRow,
} from '../../../../src/collectors/launch-template-list/paging.ts';

const row = (id: number): ListRow => ({
  id: `lt-${id}`,
  name: '',
  listed: { name: '', defaultVersion: 1, latestVersion: 1, versions: 1 },
});

const rowsOf = (length: number) => Array.from({ length }, (_, index) => row(index + 1));

const idsOf = ({ rows }: ListPage) => rows.map(({ id }) => id);

interface Behaviour {
  /** Maximum number of rows in a page. */
  readonly pageCap: number;
  readonly ignoresOffset: boolean;
  readonly totalCount: (length: number) => number | null;
  /** Changes the list after a request; `request` counts from 1. */
  readonly change: (rows: ListRow[], request: number) => void;
}

function service(initial: readonly ListRow[], behaviour: Partial<Behaviour> = {}) {
  const { pageCap = 100, ignoresOffset = false, totalCount = (n: number) => n, change } = behaviour;
  const rows = [...initial];
  const offsets: number[] = [];
  const fetchPage = (offset: number) => {
    const start = ignoresOffset ? 0 : offset;
    const page = {
      totalCount: totalCount(rows.length),
      rows: rows.slice(start, start + pageCap),
      requestId: null,
    };
    offsets.push(offset);
    change?.(rows, offsets.length);
    return Promise.resolve(page);
  };
  return { fetchPage, offsets, rows };
}

/** Nothing is missing of what was known. */
const expecting = (known: readonly ListRow[]) => (list: ListPage) => {
  const ids = new Set(idsOf(list));
  return known.every(({ id }) => ids.has(id));
};
const isUnexpected = () => false;

describe('a list that does not change', () => {
  it.each([
    [0, 1],
    [1, 1],
    [100, 1],
    [101, 2],
    [1_000, 10],
  ])('of %i known templates costs %i requests', async (length, requests) => {
    const { fetchPage, offsets, rows } = service(rowsOf(length));

    const list = await readTemplateList(fetchPage, expecting(rows));

    expect(idsOf(list)).toEqual(idsOf({ rows, totalCount: null, requestId: null }));
    expect(offsets).toHaveLength(requests);
  });

  it('is read twice if it has several pages and differs from what is known', async () => {
    const { fetchPage, offsets } = service(rowsOf(250));

    expect((await readTemplateList(fetchPage, isUnexpected)).rows).toHaveLength(250);
    expect(offsets).toEqual([0, 100, 200, 0, 100, 200]);
  });

  it('is read once if it has one page, whatever is known: a page is one answer', async () => {
    const { fetchPage, offsets } = service(rowsOf(3));

    expect((await readTemplateList(fetchPage, isUnexpected)).rows).toHaveLength(3);
    expect(offsets).toEqual([0]);
  });

  it.each<[string, Partial<Behaviour>, number]>([
    ['smaller pages than requested', { pageCap: 20 }, 45],
    ['no total', { totalCount: () => null }, 45],
    ['no total, and pages that ignore Offset', { totalCount: () => null, ignoresOffset: true }, 45],
    ['a total that is too high', { totalCount: (n) => n + 2 }, 45],
    ['a total that is too low', { totalCount: (n) => n - 2 }, 45],
  ])('is read completely with %s', async (_name, behaviour, length) => {
    const { fetchPage } = service(rowsOf(length), behaviour);

    expect((await readTemplateList(fetchPage, isUnexpected)).rows).toHaveLength(length);
  });
});

describe('a list that changes during the read', () => {
  it('loses no template that was there all the time', async () => {
    const moves = fc.array(
      fc.record({
        request: fc.integer({ min: 1, max: 6 }),
        deleted: fc.nat(249),
        created: fc.nat(3),
      }),
      { maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(moves, async (plan) => {
        const initial = rowsOf(250);
        const gone = new Set(plan.map(({ deleted }) => `lt-${deleted + 1}`));
        const { fetchPage } = service(initial, {
          change: (rows, request) => {
            for (const { request: at, deleted, created } of plan) {
              if (at !== request) continue;
              const index = rows.findIndex(({ id }) => id === `lt-${deleted + 1}`);
              if (index !== -1) rows.splice(index, 1);
              // New templates are first or last.
              if (created > 0)
                rows.splice(created === 1 ? 0 : rows.length, 0, row(request * 1_000 + deleted));
            }
          },
        });

        const list = await readTemplateList(fetchPage, expecting(initial));

        const read = new Set(idsOf(list));
        const lost = initial.filter(({ id }) => !read.has(id) && !gone.has(id ?? ''));
        expect(lost).toEqual([]);
      }),
    );
  });

  it('fails if it never becomes stable', async () => {
    const { fetchPage, offsets } = service(rowsOf(150), {
      change: (rows, request) => {
        rows[0] = row(1_000 + request);
      },
    });

    await expect(readTemplateList(fetchPage, isUnexpected)).rejects.toMatchObject({
      code: 'InvalidResponse',
    });
    expect(offsets).toHaveLength(10);
  });
});

it('fails for more templates than are read', async () => {
  let next = 0;
  const endless = () =>
    Promise.resolve({
      totalCount: 1_000_000,
      rows: Array.from({ length: 1_000 }, () => row((next += 1))),
      requestId: null,
    });

  await expect(readTemplateList(endless, isUnexpected)).rejects.toMatchObject({
    code: 'InvalidResponse',
  });
});
