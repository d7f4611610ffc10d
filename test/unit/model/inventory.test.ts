import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareInventories, lackedAfter, namesToPoll } from '../../../src/model/inventory.ts';

const known = (...names: readonly number[]) => ({ known: names, lacking: [] });
/** Its last list lacked 2. */
const half = { known: [1, 2], lacking: [2] };

it.each<
  [
    what: string,
    before: number,
    presence: Parameters<typeof lackedAfter>[1],
    polls: number,
    after: number,
  ]
>([
  ['is named', 1, 'named', 2, 0],
  ['was absent and is named', 2, 'named', 2, 0],
  ['is lacking for the first time', 0, 'lacking', 2, 1],
  ['is lacking again', 1, 'lacking', 2, 2],
  ['stays lacking', 2, 'lacking', 2, 2],
  ['is lacking three times of four', 2, 'lacking', 4, 3],
  ['is lacking for the fourth time', 3, 'lacking', 4, 4],
  ['may be in the answer', 0, 'possible', 2, 0],
  ['was lacking and may be in the answer', 1, 'possible', 2, 1],
])(
  'what answers lack is counted until it is absent: a name that %s',
  (_what, before, presence, polls, after) => {
    expect(lackedAfter(before, presence, polls)).toBe(after);
  },
);

it.each<[string, Parameters<typeof compareInventories<number>>, object]>([
  ['begin with a whole list', [null, [2, 1], true], { created: [], next: known(1, 2) }],
  ['wait for a whole list', [null, [2, 1], false], { created: [], next: null }],
  ['grow', [known(1), [1, 3, 2], true], { created: [2, 3], deleted: [], next: known(1, 2, 3) }],
  ['stay in one list that lacks some', [known(1, 2), [1], true], { deleted: [], next: half }],
  ['go in the second list', [half, [1], true], { deleted: [2], next: known(1) }],
  ['come back', [half, [1, 2], true], { created: [], deleted: [], next: known(1, 2) }],
  ['come back in a list that is not whole', [half, [2], false], { next: known(1, 2) }],
  ['stay lacking in a list that is not whole', [half, [1], false], { next: half }],
  [
    'stay in a list that is not whole',
    [known(1, 2), [1, 3], false],
    { created: [], deleted: [], next: known(1, 2) },
  ],
  [
    'are replaced by others',
    [known(1, 2), [7], true],
    { created: [], replaced: { from: 2, to: 1 }, next: known(7) },
  ],
  [
    'are not replaced by none',
    [known(1), [], true],
    { replaced: null, next: { known: [1], lacking: [1] } },
  ],
  ['are not replaced where none was known', [known(), [7], true], { replaced: null, created: [7] }],
])('the known names of a list %s', (_what, [before, names, isWhole], expected) => {
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
