import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerBody, LargeAnswers } from '../../../src/api/answer-body.ts';

/** Takes the text in pieces of at most this many bytes. */
function collect(text: string, pieceBytes = 65_536) {
  const body = new AnswerBody();
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    const problem = body.append(bytes.subarray(start, start + pieceBytes));
    if (problem !== null) return { body, problem };
  }
  return { body, problem: null };
}

const parsed = (text: string, pieceBytes?: number): unknown =>
  JSON.parse(collect(text, pieceBytes).body.toString());

describe('a body', () => {
  it('keeps any JSON in pieces of any size', () => {
    const texts = fc.tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'));
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 20 }), ([value, space], pieceBytes) => {
        expect(parsed(JSON.stringify(value, null, space), pieceBytes)).toEqual(
          JSON.parse(JSON.stringify(value)),
        );
      }),
    );
  });

  it.each(['x', '\\"', '\\\\', '\\u0041', 'é', '🦀'])(
    'keeps a text of 4,096 bytes, and a longer one of %j as an empty one',
    (unit) => {
      const longest = unit.repeat(Math.floor(4096 / Buffer.byteLength(unit)));
      const text = (value: string) => `{"a":"${value}","b":["${value}"]}`;

      expect(parsed(text(longest), 7)).toEqual(JSON.parse(text(longest)));
      expect(parsed(text(longest + unit), 7)).toEqual({ a: '', b: [''] });
    },
  );

  it('takes a page of 100 versions that have the most data', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`Field${index}`, ['x'.repeat(40), { a: 1 }]]),
    );
    const row = { ...fields, LaunchTemplateVersion: 1, UserData: 'x'.repeat(22 * 1024) };
    const page = JSON.stringify({ Response: { Set: Array.from({ length: 100 }, () => row) } });

    expect(collect(page).problem).toBeNull();
  });

  it.each([
    ['objects', '[', '{},'],
    ['lists', '[', '[],'],
    ['numbers', '[', '1,'],
    ['names', '{', '"a":1,'],
    ['brackets', '', '['],
    ['digits', '', '1'],
    ['short texts', '[', `"${'x'.repeat(4000)}",`],
    ['white space', '', ' '],
    ['long texts', '[', `"${'x'.repeat(100_000)}",`],
    ['characters', '"', 'x'],
  ])('of %s without end is refused, and holds no more than 4 MiB', (_what, start, unit) => {
    const { body, problem } = collect(start + unit.repeat(Math.ceil(9_000_000 / unit.length)));

    expect(problem).not.toBeNull();
    expect(body.length).toBeLessThan(4 * 1024 * 1024);
  });
});

describe('large answers', () => {
  it('wait for a place, first come first served, and give it back once', () => {
    const answers = new LargeAnswers();
    const paused: number[] = [];
    const resumed: number[] = [];
    const leave = Array.from({ length: 7 }, (_, index) =>
      answers.take({ pause: () => paused.push(index), resume: () => resumed.push(index) }),
    );
    expect({ paused, resumed }).toEqual({ paused: [4, 5, 6], resumed: [] });

    leave[4]?.();
    leave[0]?.();
    leave[0]?.();

    expect(resumed).toEqual([5]);
  });
});
