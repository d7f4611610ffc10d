import { expect, test } from 'vitest';
import { accountsInTurn } from '../../../src/poll/accounts-in-turn.ts';

test('the accounts take turns, each in the order of its own items', () => {
  const items = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'];

  expect(accountsInTurn(items, ([account = '']) => account)).toEqual([
    ...['a1', 'b1', 'c1'],
    ...['a2', 'c2'],
    'a3',
  ]);
});
