import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareInventories,
  type Inventory,
  type InventoryComparison,
} from '../../../src/model/inventory.ts';

/** An answer: the numbers that can be read, and how many rows cannot. */
type Answer = readonly [read: readonly number[], unidentified: number];

function run(answers: readonly Answer[]) {
  let inventory: Inventory<number> | null = null;
  const created: number[] = [];
  const deleted: number[] = [];
  for (const [read, unidentified] of answers) {
    const comparison: InventoryComparison<number> = compareInventories(
      inventory,
      read,
      unidentified,
    );
    inventory = comparison.next;
    created.push(...comparison.created);
    deleted.push(...comparison.deleted);
  }
  return { created, deleted, inventory };
}

describe('compareInventories', () => {
  it.each<[string, Answer[], number[], number[]]>([
    [
      'the same rows',
      [
        [[1, 2], 0],
        [[1, 2], 0],
      ],
      [],
      [],
    ],
    [
      'a creation and a deletion',
      [
        [[1, 2], 0],
        [[2, 3], 0],
      ],
      [3],
      [1],
    ],
    [
      'rows that cannot be read for a while',
      [
        [[1, 2, 3], 0],
        [[], 3],
        [[1, 2, 3], 0],
      ],
      [],
      [],
    ],
    [
      'another row unreadable each time',
      [
        [[1, 2], 1],
        [[2, 3], 1],
        [[1, 3], 1],
      ],
      [],
      [],
    ],
    [
      'a creation beside a row that is never read',
      [
        [[1], 1],
        [[1, 2], 1],
      ],
      [2],
      [],
    ],
    [
      'a deletion beside a row that is never read',
      [
        [[1, 2], 1],
        [[1], 1],
      ],
      [],
      [2],
    ],
    [
      'a creation while another becomes unreadable',
      [
        [[1, 2], 0],
        [[1, 3], 1],
      ],
      [3],
      [],
    ],
    [
      'a deletion while another becomes unreadable',
      [
        [[1, 2, 3], 0],
        [[1], 1],
      ],
      [],
      [2],
    ],
    [
      'an unreadable row that was deleted',
      [
        [[1, 2], 0],
        [[1], 1],
        [[1], 0],
      ],
      [],
      [2],
    ],
    [
      'an unreadable row in place of which another came',
      [
        [[1, 2], 0],
        [[1], 1],
        [[1, 3], 0],
      ],
      [3],
      [2],
    ],
    [
      'a certain deletion of a row whose name is in doubt',
      [
        [[1, 2], 0],
        [[], 1],
        [[2], 0],
      ],
      [],
      [1],
    ],
    [
      'one that is then seen to be the other',
      [
        [[1, 2], 0],
        [[], 1],
        [[1], 0],
      ],
      [],
      [1],
    ],
    [
      'the highest of several new names, where one was there',
      [
        [[1], 1],
        [[1, 2, 3], 0],
      ],
      [3],
      [],
    ],
  ])('finds in %s what certainly changed', (_, answers, created, deleted) => {
    expect(run(answers)).toMatchObject({ created, deleted });
  });

  it('keeps known what may only be unreadable', () => {
    expect(
      run([
        [[1, 2, 3], 0],
        [[1, 2], 1],
      ]).inventory,
    ).toEqual({
      known: [1, 2, 3],
      unidentified: 0,
    });
  });

  it('does not depend on the order of the rows in an answer', () => {
    expect(
      run([
        [[10, 9, 2, 1], 0],
        [[4, 12, 3, 11], 1],
      ]),
    ).toEqual({
      created: [3, 4, 11, 12],
      deleted: [1, 2, 9],
      inventory: { known: [3, 4, 11, 12], unidentified: 1 },
    });
  });

  it('takes a first answer as the baseline, which is no change', () => {
    expect(compareInventories(null, ['b', 'c', 'a'], 1)).toEqual({
      created: [],
      deleted: [],
      unclear: [],
      next: { known: ['a', 'b', 'c'], unidentified: 1 },
    });
  });

  it.each([
    ['one row hides one of two missing names', [1, 2, 3], [3], 1, [1, 2]],
    ['one row hides the only missing name', [1, 2], [2], 1, []],
    ['no row hides the missing name', [1, 2], [2], 0, []],
  ])('says which names may be deleted or not: %s', (_what, known, read, unidentified, unclear) => {
    const before = { known, unidentified: 0 };

    expect(compareInventories(before, read, unidentified)).toMatchObject({ unclear });
  });

  it('takes an ascending list as it is, so that memory holds it once', () => {
    for (const read of [[], ['a'], ['a', 'b', 'c']]) {
      expect(compareInventories(null, read, 0).next.known).toBe(read);
    }
  });

  it('needs no time for a number of rows without bound', () => {
    const many = Number.MAX_SAFE_INTEGER;
    const answers: Answer[] = [
      [[1], many],
      [[1, 2], many],
    ];

    expect(run(answers)).toMatchObject({ created: [2], deleted: [] });
  });
});

/** Which rows of an answer cannot be read. */
const garbling = fc
  .func(fc.integer({ min: 0, max: 3 }))
  .map((pick) => (version: number) => pick(version) === 0);

function answerOf(rows: readonly number[], isUnreadable: (version: number) => boolean): Answer {
  const read = rows.filter((row) => !isUnreadable(row));
  return [read, rows.length - read.length];
}

describe('compareInventories, for any rows that cannot be read', () => {
  it.each([
    ['a complete baseline', true],
    ['an incomplete baseline', false],
  ])('finds no change in a list that does not change, from %s', (_, isComplete) => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(20), { maxLength: 8 }),
        fc.array(garbling, { maxLength: 12 }),
        (rows, garblings) => {
          const answers = garblings.map((isUnreadable) => answerOf(rows, isUnreadable));
          const baseline = isComplete ? [answerOf(rows, () => false)] : [];

          expect(run([...baseline, ...answers])).toMatchObject({ created: [], deleted: [] });
        },
      ),
      { numRuns: 1_000 },
    );
  });

  const lists = fc.array(fc.uniqueArray(fc.nat(8), { maxLength: 6 }), {
    minLength: 1,
    maxLength: 10,
  });

  function trueChanges(history: readonly (readonly number[])[]) {
    const total = { created: 0, deleted: 0 };
    for (const [index, after] of history.entries()) {
      const before = history[index - 1] ?? after;
      total.created += after.filter((row) => !before.includes(row)).length;
      total.deleted += before.filter((row) => !after.includes(row)).length;
    }
    return total;
  }

  it('counts every creation and every deletion beside rows that are never read', () => {
    const steps = fc.array(fc.record({ creates: fc.boolean(), rows: fc.array(fc.nat(8)) }));
    const histories = steps.map((all) => {
      const history: (readonly number[])[] = [[1, 2, 3]];
      for (const { creates, rows } of all) {
        const before = history.at(-1)!;
        const after = creates
          ? [...new Set([...before, ...rows])]
          : before.filter((row) => !rows.includes(row));
        history.push(after);
      }
      return history;
    });
    fc.assert(
      fc.property(histories, fc.nat(3), (history, unreadable) => {
        const { created, deleted } = run(history.map((rows): Answer => [rows, unreadable]));

        expect({ created: created.length, deleted: deleted.length }).toEqual(trueChanges(history));
      }),
      { numRuns: 1_000 },
    );
  });

  it('never counts more changes than happened', () => {
    fc.assert(
      fc.property(
        lists.chain((history) =>
          fc.tuple(
            fc.constant(history),
            fc.array(garbling, { minLength: history.length, maxLength: history.length }),
          ),
        ),
        ([history, garblings]) => {
          const answers = history.map((rows, index) => answerOf(rows, garblings[index]!));

          const { created, deleted } = run(answers);

          const truth = trueChanges(history);
          expect(created.length).toBeLessThanOrEqual(truth.created);
          expect(deleted.length).toBeLessThanOrEqual(truth.deleted);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
