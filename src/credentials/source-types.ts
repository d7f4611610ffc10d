/**
 * The types of credentials that can also be the source of a role: keys, the roles of a machine and of a pod, and `default`,
 * which looks for them. `types.ts` adds the others.
 */
import { z } from 'zod';
import type { CredentialsProvider } from '../api/credentials.ts';
import { filePath, nonSecretText } from '../validation/text-schemas.ts';
import {
  countingFailures,
  credentialsType,
  fetchedCredentials,
  type CredentialsTools,
  type CredentialsTypeRules,
} from './credentials-type.ts';
import { environmentCredentials, environmentKeys, isAnySet, usualNames } from './environment.ts';
import { fileCredentials, fileKeys } from './files.ts';
import { fetchMachineRole } from './metadata.ts';
import { profileCredentials, profileExists, usualProfileFiles } from './profile.ts';
import { CredentialsError } from './provider.ts';
import { sessionName, tkeVariables, webIdentityFetch } from './role-session.ts';

/** The action that a trust policy allows those who may assume the role. */
export const assumeRoleActions = ['name/sts:AssumeRole'];

/** The types that can be the source of a role, by name. */
export const sourceTypes = {
  environment: credentialsType(
    z.strictObject({
      type: z.literal('environment').describe('From environment variables.'),
      ...environmentKeys.shape,
    }),
    {
      identity: ({ secret_id_env: name }) => `the key in ${name ?? usualNames.secretId}`,
      exists: ({ env }) =>
        Promise.resolve(isAnySet(env, usualNames.secretId, usualNames.secretKey)),
      failureTypes: ['environment'],
      create: (config, tools) => countingFailures(environmentCredentials(tools.env, config), tools),
    },
  ),
  files: credentialsType(
    z.strictObject({
      type: z.literal('files').describe('From files. They are read again when they change.'),
      ...fileKeys.shape,
    }),
    {
      identity: ({ secret_id_file: file }) => `the key in ${file}`,
      failureTypes: ['files'],
      create: (config, tools) => countingFailures(fileCredentials(config, tools), tools),
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
      create: ({ profile, file }, tools) => {
        const files = file === undefined ? usualProfileFiles(tools.env) : [file];
        return countingFailures(profileCredentials(profile, files, tools), tools);
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
        { effect: 'allow', action: assumeRoleActions, principal: { service: ['cvm.qcloud.com'] } },
      ],
      failureTypes: ['cvm_role'],
      create: ({ role }, tools) => fetchedCredentials(tools, () => fetchMachineRole(role, tools)),
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
        Promise.resolve(isAnySet(env, tkeVariables.roleArn, tkeVariables.tokenFile)),
      failureTypes: ['tke_oidc'],
      create: ({ session_name: name }, tools) =>
        fetchedCredentials(tools, webIdentityFetch(name, tools)),
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

/** The schemas of {@link sourceTypes}, as a tuple for a union. */
export const sourceSchemas = [
  sourceTypes.environment.schema,
  sourceTypes.files.schema,
  sourceTypes.profile.schema,
  sourceTypes.cvm_role.schema,
  sourceTypes.tke_oidc.schema,
  sourceTypes.default.schema,
] as const;

/** Looks for credentials in the order of the service's own tools. The role of a machine is the last resort. */
function firstThatExists(_config: unknown, tools: CredentialsTools): CredentialsProvider {
  const { cvm_role, environment, profile, tke_oidc } = sourceTypes;
  const candidate = <Config>(rules: CredentialsTypeRules<Config>, config: Config): Candidate => ({
    exists: async () => (await rules.exists?.(tools)) ?? false,
    provider: rules.create(config, tools),
  });
  return firstOf(
    [
      candidate(environment, { type: 'environment' }),
      candidate(profile, { type: 'profile', profile: 'default' }),
      candidate(tke_oidc, { type: 'tke_oidc', session_name: 'cvm-quota-monitor' }),
    ],
    cvm_role.create({ type: 'cvm_role' }, tools),
  );
}

/** A provider, and whether what it reads exists on this machine. */
interface Candidate {
  readonly exists: () => Promise<boolean>;
  readonly provider: CredentialsProvider;
}

/**
 * A provider that uses the first candidate that exists, and `last` if none does. A candidate that exists and fails is a
 * failure: another one could belong to another account. For the same reason, a candidate that gave credentials once is
 * never left.
 */
export function firstOf(
  candidates: readonly Candidate[],
  last: CredentialsProvider,
): CredentialsProvider {
  let chosen: CredentialsProvider | null = null;
  const find = async () => {
    for (const { exists, provider } of candidates) if (await exists()) return provider;
    return last;
  };
  return {
    get: async () => {
      const provider = chosen ?? (await find());
      try {
        const credentials = await provider.get();
        chosen ??= provider;
        return credentials;
      } catch (error) {
        const isLastResort = chosen === null && provider === last;
        if (!isLastResort || !(error instanceof CredentialsError)) throw error;
        const message = `no credentials in the environment, a profile or a cluster, and ${error.message}`;
        throw new CredentialsError(error.type, message, error);
      }
    },
    renew: (used) => chosen?.renew(used) ?? Promise.resolve(false),
    expiresAtMs: () => chosen?.expiresAtMs() ?? null,
  };
}
