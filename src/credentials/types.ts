/**
 * The types of credentials. One row says of a type its keys, who signs with it, who may use it, whether it exists on
 * this machine, and how its provider is created. The configuration never holds secrets.
 */
import { z } from 'zod';
import type { CredentialsProvider } from '../api/credentials.ts';
import { firstOf, noCredentials } from './provider.ts';
import { fetchMachineRole } from './metadata.ts';
import {
  environmentCredentials,
  fileCredentials,
  isSet,
  profileCredentials,
  profileExists,
  usualNames,
  usualProfileFiles,
} from './read.ts';
import { fetchAssumedRole, tkeVariables, webIdentityFetch } from './role-session.ts';
import { duration } from '../validation/duration.ts';
import {
  expiring,
  credentialsType,
  countingFailures,
  type CredentialsTools,
  type CredentialsTypeRules,
} from './credentials-type.ts';
import { filePath, nonSecretText } from '../validation/text-schemas.ts';

/**
 * Upper case letters, digits and underscores: the convention for names of variables. So it does not match
 * a SecretKey of 32 mixed letters. The lookaheads refuse secrets that would match.
 */
const variable = nonSecretText(
  /^(?!AKID[A-Z0-9]{12})(?![A-Z0-9]{32}$)[A-Z_][A-Z0-9_]{0,127}$/,
  'the name of an environment variable: upper-case letters, digits and underscores',
).optional();

const usualTokens = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(usualNames.tokens);

const sessionName = nonSecretText(
  /^[\w+=,.@-]{2,128}$/,
  '2 to 128 letters, digits and + = , . @ _ -',
)
  .default('cvm-quota-monitor')
  .describe('The name of the session in the audit log of the cloud.');

const assumes = ['name/sts:AssumeRole'];

/** The types that may assume a role. */
const sourceTypes = {
  environment: credentialsType(
    z.strictObject({
      type: z.literal('environment').describe('From environment variables.'),
      secret_id_env: variable.describe(
        `Name of the variable with the SecretId. Default: ${usualNames.secretId}.`,
      ),
      secret_key_env: variable.describe(
        `Name of the variable with the SecretKey. Default: ${usualNames.secretKey}.`,
      ),
      token_env: variable.describe(
        `Name of the variable with the session token. Default: ${usualTokens}. There is no default if secret_id_env or secret_key_env names another variable.`,
      ),
    }),
    {
      identity: ({ secret_id_env: name }) => `the key in ${name ?? usualNames.secretId}`,
      exists: ({ env }) => Promise.resolve(isSet(env, usualNames.secretId, usualNames.secretKey)),
      failureTypes: ['environment'],
      create: (config, { env, countFailures }) => {
        const { secret_id_env: secretId, secret_key_env: secretKey, token_env: token } = config;
        return countingFailures(
          environmentCredentials(env, { secretId, secretKey, token }),
          countFailures,
        );
      },
    },
  ),
  files: credentialsType(
    z.strictObject({
      type: z.literal('files').describe('From files. They are read again when they change.'),
      secret_id_file: filePath,
      secret_key_file: filePath,
      token_file: filePath.optional(),
    }),
    {
      identity: ({ secret_id_file: file }) => `the key in ${file}`,
      failureTypes: ['files'],
      create: (config, { clock, fileCalls: calls, countFailures }) => {
        const { secret_id_file: secretIdFile, secret_key_file: secretKeyFile } = config;
        const files = { secretIdFile, secretKeyFile, tokenFile: config.token_file };
        return countingFailures(fileCredentials(files, { clock, calls }), countFailures);
      },
    },
  ),
  profile: credentialsType(
    z.strictObject({
      type: z.literal('profile').describe('From a section of an INI file.'),
      profile: nonSecretText(/^[\w@+-]{1,64}$/, 'letters, digits and @ + _ -')
        .default('default')
        .describe('The section, with secret_id, secret_key and perhaps token.'),
      file: filePath
        .optional()
        .describe(
          'The file. Default: ~/.tencentcloud/credentials, else /etc/tencentcloud/credentials.',
        ),
    }),
    {
      identity: ({ profile, file = 'the usual file' }) =>
        `the key in the profile ${profile} of ${file}`,
      exists: ({ env, fileCalls }) => profileExists(usualProfileFiles(env), fileCalls),
      failureTypes: ['profile'],
      create: ({ profile, file }, { clock, env, fileCalls: calls, countFailures }) => {
        const files = file === undefined ? usualProfileFiles(env) : [file];
        return countingFailures(
          profileCredentials(profile, files, { clock, calls }),
          countFailures,
        );
      },
    },
  ),
  cvm_role: credentialsType(
    z.strictObject({
      type: z
        .literal('cvm_role')
        .describe('The role that is bound to the machine, from its metadata service.'),
      role: nonSecretText(/^[\w+=,.@-]{1,128}$/, 'the name of a role')
        .optional()
        .describe('The name of the role. Default: the one that the metadata service names.'),
    }),
    {
      identity: ({ role = 'that is bound to the machine' }) => `the role ${role}`,
      trust: () => [
        { effect: 'allow', action: assumes, principal: { service: ['cvm.qcloud.com'] } },
      ],
      failureTypes: ['cvm_role'],
      create: ({ role }, tools) =>
        expiring(tools, () => {
          const { metadataEndpoint: endpoint, timeoutMs } = tools.api();
          return fetchMachineRole(role, { ...tools, endpoint, timeoutMs });
        }),
    },
  ),
  tke_oidc: credentialsType(
    z.strictObject({
      type: z.literal('tke_oidc').describe('The role of a pod, in a cluster with OIDC.'),
      session_name: sessionName,
    }),
    {
      identity: () => `the role in ${tkeVariables.roleArn}`,
      trust: () => [
        {
          effect: 'allow',
          action: ['name/sts:AssumeRoleWithWebIdentity'],
          principal: {
            federated: [
              `qcs::cam::uin/<uin of the cluster>:oidc-provider/<${tkeVariables.providerId}>`,
            ],
          },
          condition: {
            string_equal: {
              'oidc:iss': ['<issuer of the cluster>'],
              'oidc:aud': ['<audience of the token>'],
            },
          },
        },
      ],
      exists: ({ env }) =>
        Promise.resolve(isSet(env, tkeVariables.roleArn, tkeVariables.tokenFile)),
      failureTypes: ['tke_oidc'],
      create: ({ session_name: name }, tools) => {
        const fetch = webIdentityFetch(tools.env, name, tools.fileCalls);
        const client = tools.sts(noCredentials);
        return expiring(tools, () => fetch(client));
      },
    },
  ),
  default: credentialsType(
    z.strictObject({
      type: z
        .literal('default')
        .describe('The first that exists of environment, profile, tke_oidc and cvm_role.'),
    }),
    {
      identity: () => 'the key or the role that type default finds',
      failureTypes: ['environment', 'profile', 'tke_oidc', 'cvm_role'],
      create: firstThatExists,
    },
  ),
};

const sources = [
  sourceTypes.environment.schema,
  sourceTypes.files.schema,
  sourceTypes.profile.schema,
  sourceTypes.cvm_role.schema,
  sourceTypes.tke_oidc.schema,
  sourceTypes.default.schema,
] as const;

/** The keys of a role that is assumed. */
const roleOf = <Source extends z.ZodType>(source: Source) =>
  z.strictObject({
    type: z.literal('assume_role').describe('A role, which other credentials assume.'),
    role_arn: z
      .string()
      .regex(/^qcs::cam::uin\/\d{1,20}:(roleName|role)\/[\w+=,.@/-]{1,200}$/, {
        error: 'expected a role such as qcs::cam::uin/100000000001:roleName/NAME',
      })
      .describe('The role, such as qcs::cam::uin/100000000001:roleName/NAME.'),
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
    source: source.describe(
      'The credentials that assume the role: any type but none. It can be a role again, whose source is then no role.',
    ),
  });

const firstRole = roleOf(z.discriminatedUnion('type', sources).prefault({ type: 'default' }));

const types = {
  none: credentialsType(
    z.strictObject({ type: z.literal('none').describe('Requests are not signed.') }),
    {
      identity: () => 'no credentials',
      failureTypes: [],
      create: () => noCredentials,
    },
  ),
  ...sourceTypes,
  assume_role: credentialsType(
    roleOf(z.discriminatedUnion('type', [...sources, firstRole]).prefault({ type: 'default' })),
    {
      identity: ({ role_arn: role }) => role,
      trust: ({ external_id: externalId }, owner) => [
        {
          effect: 'allow',
          action: assumes,
          principal: { qcs: [`qcs::cam::uin/${owner}:root`] },
          ...(externalId !== undefined && {
            condition: { string_equal: { 'sts:external_id': [externalId] } },
          }),
        },
      ],
      failureTypes: ['assume_role'],
      create: (config, tools) => {
        const role = {
          roleArn: config.role_arn,
          externalId: config.external_id,
          sessionName: config.session_name,
          durationMs: config.duration,
        };
        const client = tools.sts(tools.source);
        return expiring(tools, () => fetchAssumedRole(role, client));
      },
    },
  ),
};

/** Where an account's credentials come from. */
export const credentialsSchema = z.discriminatedUnion('type', [
  types.none.schema,
  ...sources,
  types.assume_role.schema,
]);

export type CredentialsConfig = z.output<typeof credentialsSchema>;
export type CredentialsType = CredentialsConfig['type'];

export const typeNames = credentialsSchema.options.map(({ shape }) => shape.type.value);

/** The keys of a type, with its `type`. `init` asks for those that are required. */
export function fieldsOf(type: string): Readonly<Record<string, z.ZodType>> {
  const schema = credentialsSchema.options.find(({ shape }) => shape.type.value === type);
  return schema?.shape ?? {};
}

/** The row of some credentials. */
export function typeOf({ type }: CredentialsConfig): CredentialsTypeRules<CredentialsConfig> {
  return types[type];
}

/** Names who signs: the same text for all credentials of one identity. Holds no secret. */
export function identityOf(config: CredentialsConfig): string {
  return typeOf(config).identity(config);
}

/** Names the owner of a rate limit. Accounts with one identity share it; unsigned requests count by account. */
export function callerOf(account: string, credentials: CredentialsConfig): string {
  return credentials.type === 'none' ? `account ${account}` : identityOf(credentials);
}

/** The type `default`: it looks for the sources in this order. The role of a machine is the last resort. */
function firstThatExists(_config: unknown, tools: CredentialsTools): CredentialsProvider {
  const looksFor: readonly CredentialsConfig[] = [
    { type: 'environment' },
    { type: 'profile', profile: 'default' },
    { type: 'tke_oidc', session_name: 'cvm-quota-monitor' },
  ];
  const candidates = looksFor.map((config) => ({
    exists: async () => (await typeOf(config).exists?.(tools)) ?? false,
    provider: typeOf(config).create(config, tools),
  }));
  return firstOf(candidates, types.cvm_role.create({ type: 'cvm_role' }, tools));
}
