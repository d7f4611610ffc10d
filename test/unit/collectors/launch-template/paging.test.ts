import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readVersionList,
  type VersionPage,
  type VersionRow,
} from '../../../../src/collectors/launch-template/paging.ts';

const row = (version: number, isDefault = false): VersionRow => ({
  ok: true,
  isDefault,
  data: { version, imageId: '', instanceType: '', chargeType: '' },
});

/** Versions in the order given; the first is the default. */
const rowsOf = (versions: readonly number[]) =>
  versions.map((version, index) => row(version, index === 0));

const range = (length: number) => Array.from({ length }, (_, index) => index + 1);

const versionsOf = (list: VersionPage) =>
  list.rows.map((entry) => (entry.ok ? entry.data.version : null));

interface Behaviour {
  /** The most rows of a page. */
  readonly pageCap: number;
  readonly ignoresOffset: boolean;
  readonly totalCount: (length: number) => number | null;
  /** Changes the list after a request; `request` counts from 1. */
  readonly change: (rows: VersionRow[], request: number) => void;
}

function service(initial: readonly VersionRow[], behaviour: Partial<Behaviour> = {}) {
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
  return { fetchPage, offsets };
}

describe('a list that does not change', () => {
  it.each([1, 8, 30, 99, 100])('of %i versions costs one request', async (length) => {
    const { fetchPage, offsets } = service(rowsOf(range(length)));

    const list = await readVersionList(fetchPage);

    expect(versionsOf(list)).toEqual(range(length));
    expect(offsets).toEqual([0]);
  });

  it.each([101, 199, 200, 250, 1000])('of %i versions is read page by page', async (length) => {
    const { fetchPage, offsets } = service(rowsOf(range(length)));

    const list = await readVersionList(fetchPage);

    expect(versionsOf(list)).toEqual(range(length));
    expect(list.totalCount).toBe(length);
    expect(offsets).toHaveLength(Math.ceil((length - 1) / 99));
  });

  it('may be empty', async () => {
    const { fetchPage, offsets } = service([]);

    await expect(readVersionList(fetchPage)).resolves.toMatchObject({ rows: [], totalCount: 0 });
    expect(offsets).toEqual([0]);
  });

  it('may come newest first', async () => {
    const newestFirst = range(150).reverse();
    const { fetchPage } = service(rowsOf(newestFirst));

    expect(versionsOf(await readVersionList(fetchPage))).toEqual(newestFirst);
  });

  it('may have numbers with gaps and far above their count', async () => {
    const { fetchPage } = service(rowsOf([5, 12, 47, 2_147_483_646]));

    expect(versionsOf(await readVersionList(fetchPage))).toEqual([5, 12, 47, 2_147_483_646]);
  });

  it('is read completely from a service that gives fewer rows than asked for', async () => {
    const { fetchPage, offsets } = service(rowsOf(range(45)), { pageCap: 20 });

    expect(versionsOf(await readVersionList(fetchPage))).toEqual(range(45));
    expect(offsets).toEqual([0, 19, 38]);
  });

  it.each([20, 100])('is read completely without a total, in pages of %i', async (pageCap) => {
    const { fetchPage } = service(rowsOf(range(150)), { pageCap, totalCount: () => null });

    const list = await readVersionList(fetchPage);

    expect(versionsOf(list)).toEqual(range(150));
  });

  it('is read from a service that knows neither total nor offset', async () => {
    const { fetchPage, offsets } = service(rowsOf(range(3)), {
      totalCount: () => null,
      ignoresOffset: true,
    });

    expect(versionsOf(await readVersionList(fetchPage))).toEqual([1, 2, 3]);
    expect(offsets).toEqual([0, 2, 1_000, 0, 2, 1_000]);
  });

  it('may have rows that cannot be read on several pages', async () => {
    const wrong: VersionRow = { ok: false, problem: 'wrong', version: null, isDefault: false };
    const { fetchPage, offsets } = service([...rowsOf(range(110)), wrong, wrong, row(113)]);

    expect((await readVersionList(fetchPage)).rows).toHaveLength(113);
    expect(offsets).toEqual([0, 99]);
  });

  it('is refused beyond 1,000 versions, a part of which would look like deletions', async () => {
    const { fetchPage, offsets } = service(rowsOf(range(1001)));

    await expect(readVersionList(fetchPage)).rejects.toMatchObject({
      code: 'InvalidResponse',
      message: expect.stringContaining('1000'),
      requestId: 'b2da6ace',
    });
    expect(offsets).toHaveLength(11);
  });

  it('may hold rows that cannot be read', async () => {
    const wrong: VersionRow = { ok: false, problem: 'wrong', version: null, isDefault: null };
    const { fetchPage } = service([row(1, true), wrong, row(3)]);

    expect(versionsOf(await readVersionList(fetchPage))).toEqual([1, null, 3]);
  });
});

describe('a service that contradicts itself', () => {
  it.each([1, 5, 20])(
    'with a total of %i for 3 versions is believed the second time',
    async (total) => {
      const { fetchPage } = service(rowsOf(range(3)), { totalCount: () => total });

      const list = await readVersionList(fetchPage);

      expect(versionsOf(list)).toEqual([1, 2, 3]);
      expect(list.totalCount).toBe(total);
    },
  );

  it('by ignoring Offset where pages are needed is refused after 5 readings', async () => {
    const { fetchPage, offsets } = service(rowsOf(range(150)), { ignoresOffset: true });

    await expect(readVersionList(fetchPage)).rejects.toMatchObject({ code: 'InvalidResponse' });
    expect(offsets).toHaveLength(10);
  });

  it('by never giving the same list is refused after 5 readings', async () => {
    const { fetchPage, offsets } = service(rowsOf(range(3)), {
      totalCount: () => 99,
      change: (rows, request) => {
        rows[0] = row(request + 100);
      },
    });

    await expect(readVersionList(fetchPage)).rejects.toMatchObject({ code: 'InvalidResponse' });
    expect(offsets).toHaveLength(10);
  });

  /** A service whose first page has three versions, and whose other pages are these. */
  const withOtherPages = (totalCount: number | null, rows: readonly VersionRow[]) => {
    const offsets: number[] = [];
    const fetchPage = (offset: number) => {
      offsets.push(offset);
      const page = offset === 0 ? rowsOf([1, 2, 3]) : rows;
      return Promise.resolve({ totalCount, rows: page, requestId: null });
    };
    return { fetchPage, offsets };
  };

  it.each([
    ['nothing, without a total', null, []],
    ['a part of another list, without a total', null, rowsOf([1, 9])],
    ['a longer first page, without a total', null, rowsOf([1, 2, 3, 4])],
    ['the first page, although the total is larger', 5, rowsOf([1, 2, 3])],
  ])('by giving %s after the first page is refused', async (_what, totalCount, rows) => {
    const { fetchPage } = withOtherPages(totalCount, rows);

    await expect(readVersionList(fetchPage)).rejects.toMatchObject({ code: 'InvalidResponse' });
  });

  it('by giving nothing after the first page, although the total is larger, is believed the second time', async () => {
    const { fetchPage, offsets } = withOtherPages(5, []);

    expect(versionsOf(await readVersionList(fetchPage))).toEqual([1, 2, 3]);
    expect(offsets).toEqual([0, 2, 0, 2]);
  });

  it('by repeating a version on another page is believed the second time', async () => {
    const { fetchPage, offsets } = service(rowsOf([...range(149), 5]));

    expect(versionsOf(await readVersionList(fetchPage))).toEqual([...range(149), 5]);
    expect(offsets).toEqual([0, 99, 0, 99]);
  });

  it('by another order the second time is believed', async () => {
    const { fetchPage, offsets } = service(rowsOf(range(3)), {
      totalCount: () => 5,
      change: (rows, request) => {
        if (request === 2) rows.reverse();
      },
    });

    expect(versionsOf(await readVersionList(fetchPage))).toEqual([3, 2, 1]);
    expect(offsets).toEqual([0, 2, 0, 2]);
  });

  it('by giving new versions without end is refused', async () => {
    let version = 0;
    const fetchPage = () => {
      const rows = [row(version), row(version + 1)];
      const page = { totalCount: null, rows, requestId: null };
      version += 1;
      return Promise.resolve(page);
    };

    await expect(readVersionList(fetchPage)).rejects.toMatchObject({ code: 'InvalidResponse' });
    expect(version).toBe(1000);
  });

  it('by having no default over several pages is believed the second time', async () => {
    const { fetchPage, offsets } = service(range(150).map((version) => row(version)));

    expect(versionsOf(await readVersionList(fetchPage))).toEqual(range(150));
    expect(offsets).toEqual([0, 99, 0, 99]);
  });
});

describe('a list that changes while it is read', () => {
  const onceAfter = (
    request: number,
    change: (rows: VersionRow[]) => void,
  ): Partial<Behaviour> => ({
    change: (rows, current) => {
      if (current === request) change(rows);
    },
  });

  it('by a deletion of what was read is read again', async () => {
    const { fetchPage } = service(
      rowsOf(range(250)),
      onceAfter(1, (rows) => rows.splice(10, 1)),
    );

    const list = await readVersionList(fetchPage);

    expect(versionsOf(list)).toEqual(range(250).filter((version) => version !== 11));
  });

  it('by a deletion of what was not yet read is read on', async () => {
    const { fetchPage, offsets } = service(
      rowsOf(range(250)),
      onceAfter(1, (rows) => rows.splice(200, 1)),
    );

    const list = await readVersionList(fetchPage);

    expect(versionsOf(list)).toEqual(range(250).filter((version) => version !== 201));
    expect(offsets).toEqual([0, 99, 198]);
  });

  it('by a deletion that leaves one page is read again', async () => {
    const { fetchPage } = service(
      rowsOf(range(101)),
      onceAfter(1, (rows) => rows.splice(5, 50)),
    );

    expect(versionsOf(await readVersionList(fetchPage))).toHaveLength(51);
  });

  it('by a new version at its end has that too', async () => {
    const { fetchPage } = service(
      rowsOf(range(150)),
      onceAfter(1, (rows) => rows.push(row(151))),
    );

    expect(versionsOf(await readVersionList(fetchPage))).toEqual(range(151));
  });

  it('by a new version at its beginning is read again', async () => {
    const newestFirst = range(150).reverse();
    const { fetchPage } = service(
      rowsOf(newestFirst),
      onceAfter(1, (rows) => rows.unshift(row(151))),
    );

    expect(versionsOf(await readVersionList(fetchPage))).toEqual([151, ...newestFirst]);
  });

  it('by a new version in each reading is not taken for a service that ignores Offset', async () => {
    const { fetchPage, offsets } = service(rowsOf([3, 2, 1]), {
      pageCap: 2,
      totalCount: () => null,
      change: (rows, request) => {
        // The page from offset 1 is the first page again.
        if (request === 1 || request === 4) rows.unshift(row(3 + request));
        if (request === 3) rows.shift();
      },
    });

    expect(versionsOf(await readVersionList(fetchPage))).toEqual([7, 3, 2, 1]);
    expect(offsets.slice(0, 6)).toEqual([0, 1, 1_000, 0, 1, 1_000]);
  });

  it('by two deletions is read again, also if a total that is too high then seems right', async () => {
    const { fetchPage } = service(rowsOf([4, 3, 2, 1]), {
      pageCap: 3,
      totalCount: (length) => length + 1,
      change: (rows, request) => {
        if (request === 1) rows.splice(0, 2);
      },
    });

    expect(versionsOf(await readVersionList(fetchPage))).toEqual([2, 1]);
  });

  it('by a move of the default between two readings is read a third time', async () => {
    const { fetchPage, offsets } = service(rowsOf(range(3)), {
      totalCount: () => 5,
      ...onceAfter(2, (rows) => rows.splice(0, 2, row(1), row(2, true))),
    });

    expect((await readVersionList(fetchPage)).rows).toEqual([row(1), row(2, true), row(3)]);
    expect(offsets).toEqual([0, 2, 0, 2, 0, 2]);
  });

  it('by a move of the default is read again, so that there is one', async () => {
    const { fetchPage } = service(
      rowsOf(range(150)),
      onceAfter(1, (rows) => {
        rows[0] = row(1);
        rows[149] = row(150, true);
      }),
    );

    const list = await readVersionList(fetchPage);

    const defaults = list.rows.filter((entry) => entry.ok && entry.isDefault);
    expect(defaults).toEqual([row(150, true)]);
  });

  it('never loses a version that was there all the time, repeats none and always ends', async () => {
    const changes = fc.array(
      fc.record({
        afterRequest: fc.integer({ min: 1, max: 12 }),
        kind: fc.constantFrom('create', 'delete'),
        at: fc.nat(300),
      }),
      { maxLength: 8 },
    );
    const lists = fc.record({
      length: fc.integer({ min: 1, max: 300 }),
      descending: fc.boolean(),
      pageCap: fc.integer({ min: 2, max: 100 }),
      hasTotal: fc.boolean(),
      changes,
    });

    await fc.assert(
      fc.asyncProperty(
        lists,
        async ({ length, descending, pageCap, hasTotal, changes: planned }) => {
          const initial = descending ? range(length).reverse() : range(length);
          const persistent = new Set(initial);
          const ever = new Set(initial);
          let next = length;
          const { fetchPage, offsets } = service(rowsOf(initial), {
            pageCap,
            totalCount: (count) => (hasTotal ? count : null),
            change: (rows, request) => {
              for (const { kind, at } of planned.filter((plan) => plan.afterRequest === request)) {
                if (kind === 'create') {
                  next += 1;
                  ever.add(next);
                  rows.splice(descending ? 0 : rows.length, 0, row(next));
                  continue;
                }
                const [gone] = rows.splice(at % rows.length, rows.length > 1 ? 1 : 0);
                if (gone?.ok === true) persistent.delete(gone.data.version);
              }
            },
          });

          const list = await readVersionList(fetchPage).catch((error: unknown) => {
            expect(error).toMatchObject({ code: 'InvalidResponse' });
            return null;
          });

          expect(offsets.length).toBeLessThanOrEqual(5 * 310);
          if (list === null) return;
          const read = versionsOf(list);
          expect(new Set(read).size).toBe(read.length);
          expect(read.every((version) => version !== null && ever.has(version))).toBe(true);
          expect([...persistent].filter((version) => !read.includes(version))).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });
});
