import { expect, test } from 'vitest';
import { credentialsAdvice } from '../../../src/expose/credentials-advice.ts';

const message = 'the environment variable A is not set: set it where the program starts';

test.each([
  ['AuthFailure.SecretIdNotFound', expect.stringContaining('use another key')],
  ['AuthFailure.MFAFailure', expect.stringContaining('see the message')],
  ['UnauthorizedOperation.MFAExpired', expect.stringContaining('print-policy')],
  ['Credentials', message],
  ['Timeout', null],
])('what to do about a failure with the code %s', (code, advice) => {
  expect(credentialsAdvice({ code, message })).toEqual(advice);
});
