import { expect, test } from 'vitest';
import { credentialsProblems } from '../../../src/expose/credentials-problems.ts';
import { quotaTarget } from '../../support/fake-monitor.ts';
import { failed } from '../../support/records.ts';

test('each account and code is named once, and other failures are no problem of credentials', () => {
  const problems = credentialsProblems([
    failed(quotaTarget('a', 'ap-x'), 'AuthFailure.SecretIdNotFound', 'no such key'),
    failed(quotaTarget('a', 'ap-y'), 'AuthFailure.SecretIdNotFound', 'no such key'),
    failed(quotaTarget('b', 'ap-x'), 'UnauthorizedOperation.MFAExpired', ''),
    failed(quotaTarget('b', 'ap-y'), 'AuthFailure.MFAFailure', ''),
    failed(quotaTarget('c', 'ap-x'), 'Timeout', ''),
  ]);

  expect(problems.map(({ account, code }) => [account, code])).toEqual([
    ['a', 'AuthFailure.SecretIdNotFound'],
    ['b', 'UnauthorizedOperation.MFAExpired'],
    ['b', 'AuthFailure.MFAFailure'],
  ]);
  expect(problems.every(({ advice }) => advice !== '')).toBe(true);
});

test('the message of Credentials says what to do', () => {
  const message = 'the environment variable A is not set: set it where the program starts';

  expect(credentialsProblems([failed(quotaTarget('a', 'ap-x'), 'Credentials', message)])).toEqual([
    { account: 'a', code: 'Credentials', advice: message },
  ]);
});
