import { expect, test } from 'vitest';
import { judgementOf } from '../../../src/model/judgement.ts';
import { quota } from '../../support/fake-monitor.ts';

const at = (warning: number, critical: number) => () => ({ warning, critical });
const muted = () => null;

test('a quota is critical below a critical threshold that is above the warning', () => {
  expect(judgementOf(quota({ used: 85, limit: 100 }), at(2, 20)).word).toBe('critical');
});

test('a quota is critical when nothing remains, whatever the thresholds are', () => {
  expect(judgementOf(quota({ used: 9, limit: 10 }), at(0, 0)).word).toBe('fine');
  expect(judgementOf(quota({ used: 10, limit: 10 }), at(0, 0)).word).toBe('critical');
});

test('a quota without thresholds is muted, unless it is overdrawn', () => {
  const judge = (used: number, limit: number, remaining = limit - used) =>
    judgementOf(quota({ used, limit, remaining }), muted).word;

  expect([judge(10, 10), judge(0, 0), judge(11, 10), judge(1, 0), judge(11, 10, 3)]).toEqual([
    'muted',
    'none',
    'overdrawn',
    'overdrawn',
    'overdrawn',
  ]);
});

test('the word for a quota goes by what the service says remains, not by what is used', () => {
  const judge = (remaining: number) =>
    judgementOf(quota({ used: 1, limit: 10, remaining }), at(2, 1));

  expect(judge(0).word).toBe('critical');
  expect(judge(30)).toMatchObject({ word: 'fine', remainingShare: 1 });
});

test.each([
  ['fine', quota({ used: 1, limit: 10 }), at(2, 1)],
  ['low', quota({ used: 8, limit: 10 }), at(3, 1)],
  ['critical', quota({ used: 10, limit: 10 }), at(3, 1)],
  ['overdrawn', quota({ used: 11, limit: 10 }), muted],
  ['muted', quota({ used: 10, limit: 10 }), muted],
  ['none', quota({ used: 0, limit: 0 }), muted],
  ['unknown', { ...quota({ used: 0, limit: 10 }), used: null, remaining: null }, at(3, 1)],
] as const)('the word for a quota is %s', (word, each, thresholdsOf) => {
  expect(judgementOf(each, thresholdsOf).word).toBe(word);
});
