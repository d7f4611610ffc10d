import { describe, expect, it } from 'vitest';
import { AccountIdentity, Signers } from '../../../src/api/account-identity.ts';

it.each([
  [[], null],
  [['a'], 'a'],
  [[''], ''],
  [['a', 'a'], 'a'],
  [['a', 'b'], null],
  [['a', 'b', 'b'], null],
  [['', 'b'], null],
])('requests that %j signed have the signer %j', (secretIds, signer) => {
  const signers = new Signers();

  for (const secretId of secretIds) signers.add(secretId);

  expect(signers.secretId).toBe(signer);
});

describe('the identity of an account', () => {
  it('is known for the last SecretId only', () => {
    const identity = new AccountIdentity();
    const before = identity.appIdOf('a');
    identity.learn('a', 1);
    identity.learn('b', 2);

    expect([before, identity.appIdOf('a'), identity.appIdOf('b')]).toEqual([null, null, 2]);
    expect(identity.appIdOf(null)).toBeNull();
  });

  it('is kept where an answer has no AppId, or several signers', () => {
    const identity = new AccountIdentity();
    identity.learn('a', 1);
    identity.learn('a', null);
    identity.learn(null, 2);

    expect(identity.appIdOf('a')).toBe(1);
    expect(identity.appIdOf(null)).toBeNull();
  });
});
