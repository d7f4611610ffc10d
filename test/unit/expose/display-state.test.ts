import { expect, test } from 'vitest';
import { compareStates } from '../../../src/expose/display-state.ts';
import { compareRemaining, judgeQuota } from '../../../src/model/thresholds.ts';
import { quota } from '../../support/fake-monitor.ts';

const at = (warning: number, critical: number) => ({ warning, critical });
const muted = null;

test('the worst quota stands first, one that was never granted last', () => {
  const rows = [
    judgeQuota(quota({ used: 0, limit: 0, zone: 'none' }), muted),
    judgeQuota(quota({ used: 5, limit: 10, zone: 'half' }), at(2, 1)),
    judgeQuota(quota({ used: 100, limit: 200, zone: 'half of more' }), at(40, 20)),
    judgeQuota(quota({ used: 10, limit: 10, zone: 'muted' }), muted),
    judgeQuota(quota({ used: 4, limit: 10, zone: 'low' }), at(8, 1)),
    judgeQuota(quota({ used: 10, limit: 10, zone: 'full' }), at(2, 1)),
    judgeQuota(quota({ used: 11, limit: 10, zone: 'overdrawn' }), muted),
    judgeQuota(quota({ used: 0, limit: 10, zone: 'unused' }), at(2, 1)),
  ];

  const worstFirst = rows.toSorted(
    (a, b) => compareStates(a.state, b.state) || compareRemaining(a, b),
  );

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
