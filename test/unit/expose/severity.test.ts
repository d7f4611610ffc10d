import { expect, test } from 'vitest';
import {
  compareShares,
  compareWords,
  judgementOf,
  severityOf,
} from '../../../src/expose/severity.ts';
import { quota } from '../../support/fake-monitor.ts';

const at = (warning: number, critical: number) => () => ({ warning, critical });
const muted = () => null;

test('the severity of a quota is critical below a critical threshold that is above the warning', () => {
  expect(severityOf(judgementOf(quota({ used: 85, limit: 100 }), at(2, 20)))).toBe('critical');
});

test('the severity of a quota is critical when nothing remains, whatever the thresholds are', () => {
  expect(judgementOf(quota({ used: 9, limit: 10 }), at(0, 0)).word).toBe('fine');
  expect(judgementOf(quota({ used: 10, limit: 10 }), at(0, 0)).word).toBe('critical');
});

test('the severity of a quota without thresholds is fine, unless the quota is overdrawn', () => {
  const judge = (used: number, limit: number, remaining = limit - used) =>
    severityOf(judgementOf(quota({ used, limit, remaining }), muted));

  expect([judge(10, 10), judge(0, 0), judge(11, 10), judge(1, 0), judge(11, 10, 3)]).toEqual([
    'fine',
    'fine',
    'critical',
    'critical',
    'critical',
  ]);
});

test('the severity of a quota goes by what the service says remains, not by what is used', () => {
  const judge = (remaining: number) =>
    judgementOf(quota({ used: 1, limit: 10, remaining }), at(2, 1));

  expect(judge(0).word).toBe('critical');
  expect(judge(30)).toMatchObject({ word: 'fine', remainingShare: 1 });
});

test('the worst quota stands first, one that was never granted last', () => {
  const rows = [
    judgementOf(quota({ used: 0, limit: 0, zone: 'none' }), muted),
    judgementOf(quota({ used: 5, limit: 10, zone: 'half' }), at(2, 1)),
    judgementOf(quota({ used: 100, limit: 200, zone: 'half of more' }), at(40, 20)),
    judgementOf(quota({ used: 10, limit: 10, zone: 'muted' }), muted),
    judgementOf(quota({ used: 4, limit: 10, zone: 'low' }), at(8, 1)),
    judgementOf(quota({ used: 10, limit: 10, zone: 'full' }), at(2, 1)),
    judgementOf(quota({ used: 11, limit: 10, zone: 'overdrawn' }), muted),
    judgementOf(quota({ used: 0, limit: 10, zone: 'unused' }), at(2, 1)),
  ];

  const worstFirst = rows.toSorted((a, b) => compareWords(a, b) || compareShares(a, b));

  expect(worstFirst.map(({ quota: { zone } }) => zone)).toEqual([
    'overdrawn',
    'full',
    'low',
    'half',
    'half of more',
    'unused',
    'muted',
    'none',
  ]);
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
