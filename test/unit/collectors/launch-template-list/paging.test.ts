import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readTemplateList,
  type ListPage,
  type ListRow,
} from '../../../../src/collectors/launch-template-list/paging.ts';

const row = (id: number | null): ListRow => ({
  id: id === null ? null : `lt-${id}`,
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
      requestId: 'b2da6ace',
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

  it.each<[string, Partial<Behaviour>, number[]]>([
    ['smaller pages than requested', { pageCap: 20 }, [0, 20, 40, 0, 20, 40]],
    ['no total', { totalCount: () => null }, [0, 45, 0, 45]],
    ['no total, page by page', { totalCount: () => null, pageCap: 40 }, [0, 40, 45, 0, 40, 45]],
    [
      'no total, and pages that ignore Offset',
      { totalCount: () => null, ignoresOffset: true },
      [0, 45, 20_000, 0, 45, 20_000],
    ],
    ['a total that is too high', { totalCount: (n) => n + 2 }, [0, 45, 0, 45]],
    ['a total that is too low', { totalCount: (n) => n - 2 }, [0, 0]],
  ])('is read completely with %s', async (_name, behaviour, requests) => {
    const { fetchPage, offsets } = service(rowsOf(45), behaviour);

    expect((await readTemplateList(fetchPage, isUnexpected)).rows).toHaveLength(45);
    expect(offsets).toEqual(requests);
  });

  it('is read as far as a service gives it that ignores Offset', async () => {
    const { fetchPage, offsets } = service(rowsOf(150), { ignoresOffset: true });

    const list = await readTemplateList(fetchPage, isUnexpected);

    expect(list).toMatchObject({ rows: { length: 100 }, totalCount: 150 });
    expect(offsets).toEqual([0, 100, 20_000, 0, 100, 20_000]);
  });

  it('is read twice if it has a template twice', async () => {
    const { fetchPage, offsets } = service([...rowsOf(3), row(2)]);

    expect(idsOf(await readTemplateList(fetchPage, isUnexpected))).toHaveLength(4);
    expect(offsets).toEqual([0, 0]);
  });

  it('is read twice if a template is at the same place of two pages', async () => {
    const { fetchPage, offsets } = service([row(1), row(2), row(1), row(3)], {
      pageCap: 2,
      totalCount: () => null,
    });

    expect(idsOf(await readTemplateList(fetchPage, isUnexpected))).toHaveLength(4);
    expect(offsets).toEqual([0, 2, 4, 0, 2, 4]);
  });

  it('is read once if several rows cannot be read', async () => {
    const { fetchPage, offsets } = service([row(1), row(null), row(null)]);

    expect(idsOf(await readTemplateList(fetchPage, isUnexpected))).toEqual(['lt-1', null, null]);
    expect(offsets).toEqual([0]);
  });

  it('may come in another order the second time', async () => {
    const { fetchPage, offsets } = service(rowsOf(3), {
      totalCount: () => 2,
      change: (rows) => rows.reverse(),
    });

    await readTemplateList(fetchPage, isUnexpected);

    expect(offsets).toEqual([0, 0]);
  });

  it('is read until the total is the same twice', async () => {
    let readings = 0;
    const { fetchPage, offsets } = service(rowsOf(3), {
      totalCount: () => ((readings += 1) === 1 ? 1 : 2),
    });

    expect((await readTemplateList(fetchPage, isUnexpected)).totalCount).toBe(2);
    expect(offsets).toEqual([0, 0, 0]);
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

  it.each([
    ['two', 2],
    ['three', 3],
  ])(
    'by a new template in each reading of %s pages is not taken for a service that ignores Offset',
    async (_name, pages) => {
      const known = rowsOf(2);
      const { fetchPage } = service(known, {
        pageCap: 1,
        totalCount: () => null,
        change: (rows, request) => {
          // The second page is the first one again.
          if (request === 1 || request === 1 + pages) rows.unshift(row(3 + request));
          if (request === pages) rows.shift();
        },
      });

      const ids = idsOf(await readTemplateList(fetchPage, expecting(known)));

      expect(ids).toEqual(expect.arrayContaining(['lt-1', 'lt-2']));
    },
  );

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
  const most = service(rowsOf(20_000), { pageCap: 1_000 });
  const more = service(rowsOf(20_001), { pageCap: 1_000 });

  expect((await readTemplateList(most.fetchPage, () => true)).rows).toHaveLength(20_000);
  await expect(readTemplateList(more.fetchPage, () => true)).rejects.toMatchObject({
    code: 'InvalidResponse',
    requestId: 'b2da6ace',
  });
});
