import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareInventories, lackedAfter, namesToPoll } from '../../../src/model/inventory.ts';
import { rowsOf } from '../../support/rows.ts';

it.each(
  rowsOf<
    [
      what: string,
      before: number,
      presence: Parameters<typeof lackedAfter>[1],
      polls: number,
      after: number,
    ]
  >('model', 'what-answers-lack'),
)(
  'what answers lack is counted until it is absent: a name that %s',
  (_what, before, presence, polls, after) => {
    expect(lackedAfter(before, presence, polls)).toBe(after);
  },
);

it.each(
  rowsOf<[string, Parameters<typeof compareInventories<number>>, object]>('model', 'known-names'),
)('the known names of a list %s', (_what, [before, names, isWhole], expected) => {
  expect(compareInventories(before, names, isWhole)).toMatchObject(expected);
});

it('the known names of a list are those of the last list, when it comes twice, and each name is counted once', () => {
  const lists = fc.array(fc.uniqueArray(fc.nat(6), { minLength: 1 }), { minLength: 1 });
  fc.assert(
    fc.property(lists, (all) => {
      let inventory = compareInventories<number>(null, all[0]!, true).next;
      let count = all[0]!.length;
      for (const list of all.flatMap((each) => [each, each])) {
        const { created, deleted, replaced, next } = compareInventories(inventory, list, true);
        count += created.length - deleted.length + (replaced ? replaced.to - replaced.from : 0);
        inventory = next;
        expect(next!.known).toHaveLength(count);
      }
      expect(inventory).toEqual({ known: all.at(-1)!.toSorted((a, b) => a - b), lacking: [] });
    }),
  );
});

it.each<
  [string, readonly number[], readonly number[], readonly number[], boolean, readonly number[]]
>([
  ['follow the known ones', [], [2, 1], [1, 2], true, [1, 2]],
  ['keep their order', [2, 1], [1, 2, 3], [1, 2, 3], true, [2, 1, 3]],
  ['lose what is not known', [2, 1], [1], [1], true, [1]],
  ['lose nothing to a list that is not whole', [2, 1], [3], [1], false, [2, 1, 3]],
])('the watched names of a list %s', (_what, watched, names, knownNow, isWhole, expected) => {
  expect(namesToPoll(watched, names, { known: knownNow, isWhole })).toEqual(expected);
});
