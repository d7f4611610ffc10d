import { expect, test } from 'vitest';
import { compareStates } from '../../../src/expose/display-state.ts';
import { compareShares, judgementOf } from '../../../src/model/judgement.ts';
import { quota } from '../../support/fake-monitor.ts';

const at = (warning: number, critical: number) => () => ({ warning, critical });
const muted = () => null;

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

  const worstFirst = rows.toSorted(
    (a, b) => compareStates(a.state, b.state) || compareShares(a, b),
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
