/** What to do about failures of credentials and permissions. Lists of targets and `init` show it with a failure. */

type Failure = Readonly<Record<'code' | 'message', string>>;

/** By error code. Advice for the first word of a code applies to its whole family (docs/service.md, section 9). */
const advices = new Map(
  Object.entries({
    AuthFailure: 'the service refuses the key: see the message of the target',
    'AuthFailure.SecretIdNotFound':
      'the SecretId does not exist: it is misspelled, disabled or deleted; use another key',
    'AuthFailure.SignatureFailure':
      'the SecretKey does not belong to the SecretId: replace both together',
    'AuthFailure.TokenFailure':
      'the token has expired, is missing, or belongs to another key: replace all three together',
    'AuthFailure.SignatureExpire': "the clock of this machine differs from the service's: set it",
    UnauthorizedOperation:
      'the policy of the key or the role does not allow the operation: apply what print-policy prints',
  }),
);

/** What to do, in one sentence. `null` for a failure that has another reason than credentials or permissions. */
export function credentialsAdvice({ code, message }: Failure): string | null {
  if (code === 'Credentials') return message;
  const [family = code] = code.split('.', 1);
  return advices.get(code) ?? advices.get(family) ?? null;
}
