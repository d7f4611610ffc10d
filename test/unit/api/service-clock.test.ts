import { expect, it } from 'vitest';
import { ServiceClock } from '../../../src/api/service-clock.ts';

const nowMs = Date.UTC(2026, 0, 1, 12);
const minuteMs = 60_000;
/** An answer that arrives now, of a service whose clock is ahead of ours. */
const dateAhead = (aheadMs: number) => new Date(nowMs + aheadMs).toUTCString();

it("the service's clock tells how far ours is ahead, to the second", () => {
  const clock = new ServiceClock();

  clock.observeDate(dateAhead(-10 * minuteMs), nowMs);

  expect(clock.skewMs).toBe(10 * minuteMs - 500);
  expect(clock.correctionMs).toBe(0);
});

it.each([10, -10])(
  "the service's clock corrects a skew of %i minutes once a signature was refused",
  (minutes) => {
    const clock = new ServiceClock();
    clock.observeDate(dateAhead(minutes * minuteMs), nowMs);

    expect(clock.correct(0)).toBe(true);

    expect(clock.correctionMs).toBe(minutes * minuteMs + 500);
  },
);

it("the service's clock is learnt once, however many signatures were refused with it", () => {
  const clock = new ServiceClock();
  clock.observeDate(dateAhead(10 * minuteMs), nowMs);

  expect([clock.correct(0), clock.correct(0), clock.correct(0)]).toEqual([true, false, false]);

  expect(clock.correctionMs).toBe(10 * minuteMs + 500);
});

it("the service's clock is learnt again when the clock was mended", () => {
  const clock = new ServiceClock();
  clock.observeDate(dateAhead(10 * minuteMs), nowMs);
  clock.correct(0);

  clock.observeDate(dateAhead(0), nowMs);
  clock.correct(clock.correctionMs);

  expect(Math.abs(clock.correctionMs)).toBeLessThan(1_000);
});

it("the service's clock drops a correction that was refused where the date says nothing new", () => {
  const clock = new ServiceClock();
  clock.observeDate(dateAhead(10 * minuteMs), nowMs);
  clock.correct(0);

  clock.correct(clock.correctionMs);

  expect(clock.correctionMs).toBe(0);
});

it("the service's clock corrects no skew of more than a day", () => {
  const clock = new ServiceClock();
  clock.observeDate(dateAhead(25 * 60 * minuteMs), nowMs);

  expect(clock.correct(0)).toBe(false);

  expect(clock.correctionMs).toBe(0);
});
