import { z } from 'zod';
import { duration } from '../validation/duration.ts';
import { usualNames } from '../api/credentials/read.ts';
import { filePath } from './names.ts';
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

const file = filePath(secretProblem('the path of the file that contains it'));

const text = (pattern: RegExp, expected: string) =>
  z
    .string()
    .regex(pattern, { error: `expected ${expected}` })
    .refine((value) => !looksLikeSecret(value), { error: secretProblem('a name') });

const sessionName = text(/^[\w+=,.@-]{2,128}$/, '2 to 128 letters, digits and + = , . @ _ -')
  .default('cvm-quota-monitor')
  .describe('The name of the session in the audit log of the cloud.');

const none = z.strictObject({ type: z.literal('none').describe('Requests are not signed.') });

const environment = z.strictObject({
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
});

const files = z.strictObject({
  type: z.literal('files').describe('From files. They are read again when they change.'),
  secret_id_file: file,
  secret_key_file: file,
  token_file: file.optional(),
});

const profile = z.strictObject({
  type: z.literal('profile').describe('From a section of an INI file.'),
  profile: text(/^[\w@+-]{1,64}$/, 'letters, digits and @ + _ -')
    .default('default')
    .describe('The section, with secret_id, secret_key and perhaps token.'),
  file: file
    .optional()
    .describe(
      'The file. Default: ~/.tencentcloud/credentials, else /etc/tencentcloud/credentials.',
    ),
});

const cvmRole = z.strictObject({
  type: z
    .literal('cvm_role')
    .describe('The role that is bound to the machine, from its metadata service.'),
  role: text(/^[\w+=,.@-]{1,128}$/, 'the name of a role')
    .optional()
    .describe('The name of the role. Default: the one that the metadata service names.'),
});

const tkeOidc = z.strictObject({
  type: z.literal('tke_oidc').describe('The role of a pod, in a cluster with OIDC.'),
  session_name: sessionName,
});

const first = z.strictObject({
  type: z
    .literal('default')
    .describe('The first that exists of environment, profile, tke_oidc and cvm_role.'),
});

const roleArn = z
  .string()
  .regex(/^qcs::cam::uin\/\d{1,20}:(roleName|role)\/[\w+=,.@/-]{1,200}$/, {
    error: 'expected a role such as qcs::cam::uin/100000000001:roleName/NAME',
  })
  .describe('The role, such as qcs::cam::uin/100000000001:roleName/NAME.');

/** The keys of a role that is assumed, without the source. */
const assumeRole = {
  type: z.literal('assume_role').describe('A role, which other credentials assume.'),
  role_arn: roleArn,
  external_id: z
    .string()
    .regex(/^(?!AKID)[\w+=,.@:/-]{2,128}$/, {
      error: 'expected 2 to 128 letters, digits and + = , . @ : / _ -, and no SecretId',
    })
    .optional()
    .describe('The external ID that the role asks for.'),
  session_name: sessionName,
  duration: duration({ min: '1m', max: '12h' })
    .prefault('2h')
    .describe('How long each set of temporary credentials is valid.'),
};

const sources = [environment, files, profile, cvmRole, tkeOidc, first] as const;

const firstRole = z.strictObject({
  ...assumeRole,
  source: z
    .discriminatedUnion('type', sources)
    .prefault({ type: 'default' })
    .describe('The credentials that assume the first role of a chain.'),
});

const role = z.strictObject({
  ...assumeRole,
  source: z
    .discriminatedUnion('type', [...sources, firstRole])
    .prefault({ type: 'default' })
    .describe(
      'The credentials that assume the role: any type but none. It can be a role again, whose source is then no role.',
    ),
});

/** Where an account's credentials come from. The configuration never holds secrets. */
export const credentialsSchema = z.discriminatedUnion('type', [none, ...sources, role]);

export type CredentialsConfig = z.output<typeof credentialsSchema>;
