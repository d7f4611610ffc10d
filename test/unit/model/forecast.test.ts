import { expect, it, test } from 'vitest';
import { fullInMs, changeInUse, type UsePoint } from '../../../src/model/trend.ts';
import { quota } from '../../support/fake-monitor.ts';

const stepMs = 900_000;
const hourMs = 3_600_000;

const pointsOf = (...use: readonly (number | null)[]): UsePoint[] =>
  use.map((used, i) => ({ atMs: i * stepMs, used }));
const steps = (length: number, useAt: (step: number) => number | null) =>
  pointsOf(...Array.from({ length }, (_, i) => useAt(i)));
/** In hours. */
const fullIn = (points: readonly UsePoint[], remaining = 50) => {
  const ms = fullInMs(points, quota({ used: 100 - remaining, limit: 100 }), stepMs);
  return ms === null ? null : ms / hourMs;
};

test.each([
  [[5, 6, 9], { by: 4, inMs: 2 * stepMs }],
  [[null, 6, 9, null], { by: 3, inMs: stepMs }],
  [[9, 9], { by: 0, inMs: stepMs }],
  [[9, null], null],
  [[null, 9], null],
  [[null], null],
  [[], null],
])('the change of a use in %j is %j', (use, change) => {
  expect(changeInUse(pointsOf(...use))).toEqual(change);
});

it('the time to a full quota is what remains at the rate of the last 6 hours', () => {
  expect(fullIn(steps(25, (i) => 10 + i))).toBeCloseTo(12.5);
  expect(fullIn(steps(97, (i) => (i < 72 ? 80 : 8 + i)))).toBeCloseTo(12.5);
  // One more in each half hour is steady, though it grows in jumps.
  expect(
    fullIn(
      steps(25, (i) => Math.floor(i / 2)),
      40,
    ),
  ).toBeCloseTo(20, 0);
});

it('the time to a full quota is known although some steps are not', () => {
  expect(fullIn(steps(25, (i) => (i % 3 === 0 ? null : i)))).toBeCloseTo(12.5);
  // Polled once an hour.
  expect(fullIn(steps(25, (i) => (i % 4 === 0 ? i : null)))).toBeCloseTo(12.5);
});

it.each([
  ['6 hours old', steps(25, (i) => (i === 0 || i > 19 ? i : null))],
  ['6 points', steps(25, (i) => (i % 5 === 0 || i === 24 ? i : null))],
  ['3 hours', steps(25, (i) => (i < 12 ? null : i))],
])('the time to a full quota is known from %s', (_, points) => {
  expect(fullIn(points)).toBeCloseTo(12.5);
});

it('the time to a full quota is not known from a point that is older than 6 hours', () => {
  const moved = steps(26, (i) => (i === 0 || i > 20 ? i : null));

  expect(fullIn(moved)).toBeNull();
});

it('the time to a full quota is known if it is in exactly a day', () => {
  const points = steps(25, (i) => i);

  expect(fullIn(points, 96)).toBe(24);
  expect(fullIn(points, 97)).toBeNull();
});

it('the time to a full quota is known if a line explains exactly 90 % of the variance', () => {
  const every4 = (use: readonly number[]) =>
    steps(25, (i) => (i % 4 === 0 ? (use[i / 4] ?? null) : null));

  expect(fullIn(every4([0, 1, 4, 6, 8, 8, 8]), 30)).toBeCloseTo(20);
  expect(fullIn(every4([0, 1, 4, 7, 8, 8, 8]), 30)).toBeNull();
});

test.each([
  ['the use stays', steps(25, () => 10)],
  ['the use falls', steps(25, (i) => 50 - i)],
  ['the use jumped once', steps(25, (i) => (i < 12 ? 10 : 20))],
  ['the use jumped twice', steps(25, (i) => 10 * Math.floor(i / 8.4))],
  ['the use goes up and down', steps(25, (i) => 10 + 8 * Math.sin(i))],
  ['a month began, and the use of the last one is gone', steps(25, (i) => (i < 12 ? 80 + i : i))],
  ['less than 3 hours are known', steps(25, (i) => (i < 14 ? null : i))],
  ['too few steps are known', steps(25, (i) => (i % 6 === 0 ? i : null))],
  ['it would be later than a day', steps(25, (i) => i / 3)],
  ['nothing is known', []],
])('the time to a full quota is not known if %s', (_, points) => {
  expect(fullIn(points)).toBeNull();
});

it.each([0, -3])('the time to a full quota is not known if %i remains', (remaining) => {
  const points = steps(25, (i) => i);

  expect(fullIn(points, remaining)).toBeNull();
});
