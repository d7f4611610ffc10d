import { expect, it } from 'vitest';
import { z } from 'zod';
import { readRows } from '../../../src/collectors/rows.ts';

const named = z.object({ Name: z.string() });

/** Reads rows that need a number `Size`. Rows whose name begins with `-` are not wanted. */
function read(...rows: unknown[]) {
  return readRows(rows, {
    name: 'RowSet',
    id: named,
    schema: z.object({ Size: z.number() }),
    isWanted: (name) => !name.startsWith('-'),
  });
}
const row = (Name: string) => ({ Name, Size: 1 });

it('the rows of a set are those with a name and valid fields, in their order', () => {
  expect(read(row('b'), row('a'))).toEqual({
    rows: [
      { name: 'b', row: { Size: 1 } },
      { name: 'a', row: { Size: 1 } },
    ],
    names: ['b', 'a'],
    unidentified: 0,
    anomalies: [],
  });
});

it('the rows of a set may be unwanted, and then need no valid field', () => {
  expect(read(row('-a'), { Name: '-b' })).toEqual({
    rows: [],
    names: ['-a', '-b'],
    unidentified: 0,
    anomalies: [],
  });
});

it('the rows of a set are unidentified without a name, also with valid fields', () => {
  expect(read({ Size: 1 }, null)).toMatchObject({
    rows: [],
    names: [],
    unidentified: 2,
    anomalies: [
      { kind: 'invalid-row', detail: expect.stringMatching(/^RowSet\[0\]: Name: /) },
      { kind: 'invalid-row', detail: expect.stringMatching(/^RowSet\[1\]: /) },
    ],
  });
});

it('the rows of a set are known by their name without valid fields', () => {
  expect(read({ Name: 'a' }, { Name: '' })).toMatchObject({
    rows: [],
    names: ['a', ''],
    unidentified: 0,
    anomalies: [
      { kind: 'invalid-row', detail: expect.stringMatching(/^RowSet\[0\] \(a\): /) },
      { kind: 'invalid-row', detail: expect.stringMatching(/^RowSet\[1\]: /) },
    ],
  });
});

it.each<[what: string, others: object[], rows: number, isHarmless: boolean]>([
  ['a row that occurs again is one row', [row('a')], 2, true],
  ['one with other fields that nobody reads is the same', [{ ...row('a'), Note: 1 }], 2, true],
  ['two with other contents are unreadable', [{ ...row('a'), Size: 2 }], 1, false],
  ['of three too', [{ ...row('a'), Size: 2 }, row('a')], 1, false],
  ['one that cannot be read makes both unreadable', [{ Name: 'a' }], 1, false],
])('the rows of a set have one content for each name: %s', (_what, others, count, isHarmless) => {
  const { anomalies, names, rows, unidentified } = read(row('a'), ...others, row('b'));

  expect(rows).toHaveLength(count);
  expect([names, unidentified]).toEqual([['a', 'b'], 0]);
  expect(anomalies).toMatchObject(others.map(() => ({ kind: 'duplicate-row', isHarmless })));
});

it('the rows of a set are read once, also if the unreadable one comes first', () => {
  expect(read({ Name: 'a' }, row('a'))).toMatchObject({
    rows: [],
    anomalies: [{ kind: 'invalid-row' }, { kind: 'duplicate-row', isHarmless: false }],
  });
});
