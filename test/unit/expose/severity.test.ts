import { describe, expect, test } from 'vitest';
import { compareUrgency, remainingShare, severityOf } from '../../../src/expose/severity.ts';
import { quota } from '../../helpers/fake-monitor.ts';

describe('the severity of a quota', () => {
  test.each([
    [0, 100, 'fine'],
    [80, 100, 'fine'],
    [81, 100, 'warning'],
    [90, 100, 'warning'],
    [91, 100, 'critical'],
    [100, 100, 'critical'],
    [0, 0, 'fine'],
  ] as const)('%i of %i used is %s', (used, limit, severity) => {
    expect(severityOf(quota({ used, limit }))).toBe(severity);
  });

  test('follows other thresholds', () => {
    const thresholds = { warnBelow: 0.5, criticalBelow: 0.25 };

    const severities = [50, 51, 75, 76].map((used) =>
      severityOf(quota({ used, limit: 100 }), thresholds),
    );

    expect(severities).toEqual(['fine', 'warning', 'warning', 'critical']);
  });

  test('goes by what the service says remains, not by what is used', () => {
    expect(severityOf(quota({ used: 1, limit: 10, remaining: 0 }))).toBe('critical');
    expect(remainingShare(quota({ used: 1, limit: 10, remaining: 30 }))).toBe(1);
  });
});

test('the worst quota stands first, one that was never granted last', () => {
  const rows = [
    quota({ used: 0, limit: 0, zone: 'none' }),
    quota({ used: 5, limit: 10, zone: 'half' }),
    quota({ used: 100, limit: 200, zone: 'half of more' }),
    quota({ used: 10, limit: 10, zone: 'full' }),
    quota({ used: 0, limit: 10, zone: 'unused' }),
  ];

  expect(rows.sort(compareUrgency).map(({ zone }) => zone)).toEqual([
    'full',
    'half',
    'half of more',
    'unused',
    'none',
  ]);
});
