import { expect, test } from 'vitest';
import { compare, isMet, resultOf, type Finding } from '../../bench/harness.ts';
import { formatTable } from '../../bench/report.ts';

const atMost = { bound: 'at most', value: 2 } as const;

/** The cells of the only row of a table. */
const cellsOf = (values: readonly number[], finding: Partial<Finding> = { goal: atMost }) =>
  formatTable([{ what: 'start', ours: '', beside: '', values, ...finding }])
    .split('\n')[2]!
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

test('two sides are compared round by round, not by their medians', () => {
  const compared = compare({
    what: 'start',
    unit: 'ms',
    ours: [10, 40, 90],
    besideName: 'bare',
    beside: [10, 20, 10],
    goal: atMost,
  });

  expect(compared).toMatchObject({ ours: '40 ms', beside: 'bare 10 ms', values: [1, 2, 9] });
  expect(resultOf(compared)).toBe(2);
});

test('a round without its other side makes no goal met', () => {
  const compared = compare({
    what: 'start',
    unit: 'ms',
    ours: [1],
    besideName: 'bare',
    beside: [],
    goal: atMost,
  });

  expect(isMet(compared)).toBe(false);
});

test('the table shows the median, and the lowest and the highest round', () => {
  expect(cellsOf([1.5, 0.9, 7, 1.1, 1])).toEqual([
    ...['start', '', '', '1.1', '0.9 to 7', 'at most 2', 'met'],
  ]);
});

test('a value about all rounds together has no spread', () => {
  expect(cellsOf([1])).toEqual(['start', '', '', '1', '', 'at most 2', 'met']);
});

test('a part of another row has no goal to meet', () => {
  expect(cellsOf([1.5, 0.9, 7], {})).toEqual(['start', '', '', '1.5', '0.9 to 7', '', '']);
});

test.each([
  [1.89, 'met'],
  [1.91, 'met, within 5 %'],
  [2, 'met, within 5 %'],
  [2.09, 'MISSED, within 5 %'],
  [2.11, 'MISSED'],
])('a result of %s at a goal of at most 2 is %s', (value, verdict) => {
  expect(cellsOf([value]).at(-1)).toBe(verdict);
});
