import { expect, test } from 'vitest';
import { credentialsAdvice } from '../../../src/credentials/advice.ts';

const message = 'the environment variable A is not set: set it where the program starts';

test.each([
  ['AuthFailure.SecretIdNotFound', expect.stringContaining('use another key')],
  ['AuthFailure.MFAFailure', expect.stringContaining('see the message')],
  ['UnauthorizedOperation.MFAExpired', expect.stringContaining('print-policy')],
  ['Credentials', message],
  ['Timeout', null],
])('a failure with the code %s has its advice, or none', (code, advice) => {
  expect(credentialsAdvice({ code, message })).toEqual(advice);
});
