/**
 * All types of credentials: their keys in the configuration, and the rules of each. The configuration holds names of
 * variables and paths of files, never a secret.
 */
import { z } from 'zod';
import {
  credentialsType,
  typeSchema,
  type CredentialsTools,
  type CredentialsTypeRow,
} from './credentials-type.ts';
import { environmentCredentials, environmentKeys, isAnySet, usualNames } from './environment.ts';
import { fileCredentials, fileKeys } from './files.ts';
import { machineRoleFetch, machineRoleKeys } from './metadata.ts';
import { profileCredentials, profileExists, profileKeys, usualProfileFiles } from './profile.ts';
import { CredentialsError, type FetchCredentials } from './provider.ts';
import {
  assumedRoleFetch,
  assumedRoleKeys,
  podRoleKeys,
  tkeVariables,
  webIdentityFetch,
} from './role-session.ts';

/** The only statement of a trust policy, in a list: who may take a role by an action of STS, and on what condition. */
const trustStatements = (action: string, principal: object, condition?: object) => [
  { effect: 'allow', action: [`name/sts:${action}`], principal, ...(condition && { condition }) },
];

/** The types that can also be the source of a role, by name. */
const sourceTypes = {
  environment: credentialsType('environment', 'From environment variables.', environmentKeys, {
    identity: ({ secret_id_env: name }) => `the key in ${name ?? usualNames.secretId}`,
    exists: ({ env }) => isAnySet(env, usualNames.secretId, usualNames.secretKey),
    fetch: (config, { env }) => environmentCredentials(env, config),
  }),
  files: credentialsType('files', 'From files. They are read again when they change.', fileKeys, {
    identity: ({ secret_id_file: file }) => `the key in ${file}`,
    fetch: (config, { fileCalls }) => fileCredentials(config, fileCalls),
  }),
  profile: credentialsType('profile', 'From a section of an INI file.', profileKeys, {
    identity: ({ profile, file = 'the usual file' }) =>
      `the key in the profile ${profile} of ${file}`,
    exists: ({ env, fileCalls }) => profileExists(usualProfileFiles(env), fileCalls),
    fetch: ({ profile, file }, { env, fileCalls }) => {
      const files = file === undefined ? usualProfileFiles(env) : [file];
      return profileCredentials(profile, files, fileCalls);
    },
  }),
  cvm_role: credentialsType(
    'cvm_role',
    'The role of the machine, from its metadata service.',
    machineRoleKeys,
    {
      identity: ({ role = 'that is bound to the machine' }) => `the role ${role}`,
      trust: () => trustStatements('AssumeRole', { service: ['cvm.qcloud.com'] }),
      fetch: (config, tools) => machineRoleFetch(config, tools),
    },
  ),
  tke_oidc: credentialsType('tke_oidc', 'The role of a pod, in a cluster with OIDC.', podRoleKeys, {
    identity: () => `the role in ${tkeVariables.roleArn}`,
    trust: () => {
      const provider = `oidc-provider/<${tkeVariables.providerId}>`;
      const issuer = { 'oidc:iss': ['<issuer of the cluster>'] };
      const audience = { 'oidc:aud': ['<audience of the token>'] };
      const federated = [`qcs::cam::uin/<uin of the cluster>:${provider}`];
      const condition = { string_equal: { ...issuer, ...audience } };
      return trustStatements('AssumeRoleWithWebIdentity', { federated }, condition);
    },
    exists: ({ env }) => isAnySet(env, tkeVariables.roleArn, tkeVariables.tokenFile),
    fetch: (config, tools) => webIdentityFetch(config, tools),
  }),
  default: credentialsType(
    'default',
    'The first of environment, profile, tke_oidc, cvm_role.',
    {},
    {
      identity: () => 'the key or the role that type default finds',
      failureTypes: ['environment', 'profile', 'tke_oidc', 'cvm_role'],
      fetch: firstThatExists,
    },
  ),
};

// A union is of one schema at least.
const { environment, ...otherTypes } = sourceTypes;
const otherSchemas = Object.values(otherTypes).map(({ schema }) => schema);
const sourceSchemas = [environment.schema, ...otherSchemas] as const;

const roleText = 'A role, which other credentials assume.';
/** The keys of a role that is assumed by credentials of the schema `source`. */
const roleKeys = <Source extends z.ZodType>(source: Source) => ({
  ...assumedRoleKeys,
  source: source.describe(
    'The credentials that assume the role: any type but none. It can be a role again, whose source is then no role.',
  ),
});
const anySource = z.discriminatedUnion('type', sourceSchemas).prefault({ type: 'default' });
/** A role that is the source of another role. */
const sourceRole = typeSchema('assume_role', roleText, roleKeys(anySource));
const anySourceOrRole = z
  .discriminatedUnion('type', [...sourceSchemas, sourceRole])
  .prefault({ type: 'default' });

const types = {
  none: credentialsType(
    'none',
    'Requests are not signed.',
    {},
    { identity: () => 'no credentials', failureTypes: [] },
  ),
  ...sourceTypes,
  assume_role: credentialsType('assume_role', roleText, roleKeys(anySourceOrRole), {
    identity: ({ role_arn: role }) => role,
    trust: ({ external_id: externalId }, owner) => {
      const principal = { qcs: [`qcs::cam::uin/${owner}:root`] };
      if (externalId === undefined) return trustStatements('AssumeRole', principal);
      const condition = { string_equal: { 'sts:external_id': [externalId] } };
      return trustStatements('AssumeRole', principal, condition);
    },
    fetch: (config, tools) => assumedRoleFetch(config, tools),
  }),
};

/** The key `credentials` of an account in the configuration. */
export const credentialsSchema = z.discriminatedUnion('type', [
  types.none.schema,
  ...sourceSchemas,
  types.assume_role.schema,
]);

export type CredentialsConfig = z.output<typeof credentialsSchema>;
export type CredentialsType = CredentialsConfig['type'];

export const typeNames = credentialsSchema.options.map(({ shape }) => shape.type.value);

/** The keys of a type, with `type` itself. Empty for an unknown type. `init` asks for those that are required. */
export function fieldsOf(type: string): Readonly<Record<string, z.ZodType>> {
  const schema = credentialsSchema.options.find(({ shape }) => shape.type.value === type);
  return schema?.shape ?? {};
}

/** The row of the table for the type of these credentials. */
export function typeOf({ type }: CredentialsConfig): CredentialsTypeRow<CredentialsConfig> {
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

/**
 * Looks for credentials in the order of the service's own tools, and fetches the first that exist; if none do, those of the
 * machine's role. Credentials that exist and fail are a failure: others could belong to another account. For the same
 * reason, a type that gave credentials once is never left.
 */
function firstThatExists(_config: unknown, tools: CredentialsTools): FetchCredentials {
  const { cvm_role, environment, profile, tke_oidc } = sourceTypes;
  const pod = { type: 'tke_oidc', session_name: 'cvm-quota-monitor' } as const;
  const candidates = [
    { ...environment, fetch: environment.fetch({ type: 'environment' }, tools) },
    { ...profile, fetch: profile.fetch({ type: 'profile', profile: 'default' }, tools) },
    { ...tke_oidc, fetch: tke_oidc.fetch(pod, tools) },
  ];
  const machineRole = cvm_role.fetch({ type: 'cvm_role' }, tools);
  let chosen: FetchCredentials | null = null;
  const find = async () => {
    for (const { exists, fetch } of candidates) if (await exists(tools)) return fetch;
    return machineRole;
  };
  return async () => {
    const fetch = chosen ?? (await find());
    try {
      const credentials = await fetch();
      chosen ??= fetch;
      return credentials;
    } catch (error) {
      const isLastResort = chosen === null && fetch === machineRole;
      if (!isLastResort || !(error instanceof CredentialsError)) throw error;
      const message = `no credentials in the environment, a profile or a cluster, and ${error.message}`;
      throw new CredentialsError(error.type, message, error);
    }
  };
}
