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

/** By how many minutes a service is ahead whose answers refuse each signature as expired, and the corrections then. */
it.each<[string, (number | null)[], number[]]>([
  ['corrects a skew', [10], [10]],
  ['corrects a skew to the past', [-10], [-10]],
  ['is learnt again when the clock was mended', [10, 0], [10, 0]],
  ['drops a correction that was refused where the date says nothing new', [10, null], [10, 0]],
  ['corrects no skew of more than a day', [25 * 60], [0]],
])("the service's clock %s", (_what, aheads, corrections) => {
  const clock = new ServiceClock();

  const found = aheads.map((minutes) => {
    if (minutes !== null) clock.observeDate(dateAhead(minutes * minuteMs), nowMs);
    const usedMs = clock.correctionMs;
    expect(clock.correct(usedMs)).toBe(clock.correctionMs !== usedMs);
    return Math.round(clock.correctionMs / minuteMs) + 0;
  });

  expect(found).toEqual(corrections);
});

it("the service's clock is learnt once, however many signatures were refused with it", () => {
  const clock = new ServiceClock();
  clock.observeDate(dateAhead(10 * minuteMs), nowMs);

  expect([clock.correct(0), clock.correct(0), clock.correct(0)]).toEqual([true, false, false]);

  expect(clock.correctionMs).toBe(10 * minuteMs + 500);
});
