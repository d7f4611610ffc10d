import { z } from 'zod';
import { usualNames } from '../api/credentials/usual-names.ts';
import { looksLikeSecret } from './secret-like.ts';

/**
 * Upper case letters, digits and underscores: the convention for names of variables. So it does not match
 * a SecretKey of 32 mixed letters. The lookaheads refuse secrets that would match.
 */
const variablePattern = /^(?!AKID[A-Z0-9]{12})(?![A-Z0-9]{32}$)[A-Z_][A-Z0-9_]{0,127}$/;

const usualTokens = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(usualNames.tokens);

const secretProblem = (instead: string) =>
  `looks like a secret, and this file must not contain secrets: write ${instead} here`;

const variable = z.string().regex(variablePattern, {
  error: ({ input }) =>
    typeof input === 'string' && looksLikeSecret(input)
      ? secretProblem('the name of the environment variable that contains it')
      : 'expected the name of an environment variable: upper-case letters, digits and underscores',
});

const file = z
  .string()
  .min(1, { error: 'expected the path of a file' })
  .refine((path) => !looksLikeSecret(path), {
    error: secretProblem('the path of the file that contains it'),
  });

/** Where an account's credentials come from. The configuration never holds secrets. */
export const credentialsSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none').describe('Requests are not signed.') }),
  z.strictObject({
    type: z.literal('environment').describe('From environment variables.'),
    secret_id_env: variable
      .optional()
      .describe(`Name of the variable with the SecretId. Default: ${usualNames.secretId}.`),
    secret_key_env: variable
      .optional()
      .describe(`Name of the variable with the SecretKey. Default: ${usualNames.secretKey}.`),
    token_env: variable
      .optional()
      .describe(
        `Name of the variable with the session token. Default: ${usualTokens}. There is no default if secret_id_env or secret_key_env names another variable.`,
      ),
  }),
  z.strictObject({
    type: z.literal('files').describe('From files. They are read again when they change.'),
    secret_id_file: file,
    secret_key_file: file,
    token_file: file.optional(),
  }),
]);
