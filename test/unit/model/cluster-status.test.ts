import { expect, it } from 'vitest';
import {
  countConfigurations,
  lateCycles,
  membersHeard,
} from '../../../src/model/cluster-status.ts';
import { accountCycle, clusterStatus, member } from '../../support/cluster-status.ts';

const lockMs = 3_000;

it('a daemon counts as long as it is silent for no longer than the lock', () => {
  const members = [
    member('now', { silentMs: 0 }),
    member('just', { silentMs: lockMs }),
    member('gone', { silentMs: lockMs + 1 }),
  ];

  const heard = membersHeard(clusterStatus({ members, lockMs }));

  expect(heard.map(({ name }) => name)).toEqual(['now', 'just']);
});

it('each configuration counts once', () => {
  const members = ['a', 'b', 'a'].map((configuration) => member('any', { configuration }));

  expect(countConfigurations(members)).toBe(2);
  expect(countConfigurations([])).toBe(0);
});

it('a cycle is late when it waits 10 s longer than the lock', () => {
  const accounts = [
    accountCycle('not-due'),
    accountCycle('since-0', { waitingSinceMs: 0 }),
    accountCycle('since-1', { waitingSinceMs: 1 }),
  ];
  const lateAt = (nowMs: number) => lateCycles(clusterStatus({ accounts, lockMs }), nowMs);

  expect(lateAt(lockMs + 10_000)).toEqual([]);
  expect(lateAt(lockMs + 10_001)).toMatchObject([{ account: 'since-0', waitingSinceMs: 0 }]);
  expect(lateAt(lockMs + 10_002).map(({ account }) => account)).toEqual(['since-0', 'since-1']);
});
