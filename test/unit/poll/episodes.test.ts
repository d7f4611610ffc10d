import { describe, expect, test } from 'vitest';
import { Episodes } from '../../../src/poll/episodes.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** What is noted of a row of events a minute apart: a variant when it happens, `null` when all is well. */
function notesOf(endLate: boolean, events: readonly (string | null)[]) {
  const episodes = new Episodes({ endLate });
  return events.flatMap((variant, i) => {
    const nowMs = i * minuteMs;
    const note =
      variant === null ? episodes.calm('k', nowMs) : episodes.happened('k', nowMs, variant);
    return note === null ? [] : [`${i} ${note.kind} ${note.count}`];
  });
}

const times = <T>(count: number, ...values: T[]): T[] =>
  Array.from({ length: count }, () => values).flat();

describe('an episode', () => {
  test.each<[string, (string | null)[], string[]]>([
    ['begins and ends', ['a', 'a', null, null], ['0 began 1', '2 ended 2']],
    [
      'goes on for hours: once an hour',
      [...times(130, 'a'), null],
      ['0 began 1', '60 continues 61', '120 continues 121', '130 ended 130'],
    ],
    [
      'alternates: each variant once',
      [...times(20, 'a', 'b'), null],
      ['0 began 1', '1 varied 2', '40 ended 40'],
    ],
    [
      'is never the same: three variants at most',
      [...Array.from({ length: 50 }, (_, i) => String(i)), null],
      ['0 began 1', '1 varied 2', '2 varied 3', '50 ended 50'],
    ],
    [
      'comes and goes: its return once, then once an hour, and its end after half an hour of quiet',
      [...times(40, 'a', null), ...times(31, null)],
      ['0 began 1', '1 ended 1', '2 returned 2', '62 continues 32', '108 ended 40'],
    ],
    [
      'comes again after half an hour: as a new one',
      ['a', null, ...times(30, null), 'a', null],
      ['0 began 1', '1 ended 1', '32 began 1', '33 ended 1'],
    ],
  ])('that %s', (_name, events, notes) => {
    expect(notesOf(false, events)).toEqual(notes);
  });

  test('that ends late ends after half an hour of quiet', () => {
    expect(notesOf(true, [...times(5, 'a', null), ...times(40, null)])).toEqual([
      '0 began 1',
      '38 ended 5',
    ]);
  });

  test('is reported in each hour when its clock was set back', () => {
    const episodes = new Episodes({ endLate: false });
    episodes.happened('k', 100 * hourMs);

    expect(episodes.happened('k', 2 * hourMs)?.kind).toBe('continues');
  });

  test('is forgotten with its key, and half an hour after its end', () => {
    const episodes = new Episodes({ endLate: false });
    episodes.happened('gone', 0);
    episodes.happened('kept', 0);

    episodes.forgetUnless((key) => key === 'kept');
    expect([episodes.has('gone'), episodes.has('kept')]).toEqual([false, true]);

    episodes.calm('kept', 1);
    episodes.calm('kept', hourMs);
    expect(episodes.has('kept')).toBe(false);
  });
});
