/**
 * The types of credentials: one row says of a type who signs with it, who may use it, which
 * services it asks, whether it exists on this machine, and how its provider is created.
 */
import type { z } from 'zod';
import {
  firstOf,
  noCredentials,
  type CredentialsProvider,
  type FailingType,
} from '../api/credentials/credentials.ts';
import { ExpiringCredentials, type ExpiringOptions } from '../api/credentials/expiring.ts';
import { fetchMachineRole } from '../api/credentials/metadata.ts';
import {
  environmentCredentials,
  fileCredentials,
  isSet,
  profileCredentials,
  profileExists,
  usualNames,
  usualProfileFiles,
} from '../api/credentials/read.ts';
import {
  fetchAssumedRole,
  tkeVariables,
  webIdentityFetch,
  type StsClient,
} from '../api/credentials/role-session.ts';
import type { Transport } from '../api/transport.ts';
import type { BoundedCalls } from '../files/bounded-calls.ts';
import type { Clock } from '../model/clock.ts';
import { credentialsSchema, type CredentialsConfig } from './credentials-schema.ts';

/** What the process gives to credentials. */
export interface CredentialsTools {
  readonly clock: Clock;
  readonly random: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fileCalls: BoundedCalls;
  readonly transport: Transport;
  /** The present settings of requests. */
  readonly api: () => { readonly metadataEndpoint: string; readonly timeoutMs: number };
  /** Ends every fetch. */
  readonly signal: AbortSignal;
}

/** What belongs to one source of credentials. */
export interface SourceParts {
  /** Records whether a reading or a fetch works. */
  readonly watch: <T>(work: Promise<T>) => Promise<T>;
  /** The client of STS that signs with the given credentials. */
  readonly sts: (signer: CredentialsProvider) => StsClient;
  /** The credentials that assume a role. */
  readonly source: CredentialsProvider;
}

export interface TrustStatement {
  readonly effect: 'allow';
  readonly action: readonly string[];
  readonly principal: Readonly<Record<string, readonly string[]>>;
  readonly condition?: {
    readonly string_equal: Readonly<Record<string, readonly string[]>>;
  };
}

export type CredentialsType = CredentialsConfig['type'];
type ConfigOf<T extends CredentialsType> = Extract<CredentialsConfig, { type: T }>;

/** What the table says about a type. Functions are written as methods, so that a row of any type is one of all. */
interface Row<Config = CredentialsConfig> {
  /** Names who signs: the same text for all credentials of one identity. Holds no secret. */
  identity(config: Config): string;
  /** The ways in which it may be assumed. Absent for keys. */
  trust?(config: Config): readonly TrustStatement[];
  /** The services that it asks, or may ask, besides cvm and vpc. */
  readonly asks?: readonly ('sts' | 'metadata')[];
  /** Whether it exists on this machine, for the type `default`. Reads no secret. */
  exists?(tools: Pick<CredentialsTools, 'env' | 'fileCalls'>): Promise<boolean>;
  /** The types that can fail. */
  readonly failing: readonly FailingType[];
  create(config: Config, parts: SourceParts, tools: CredentialsTools): CredentialsProvider;
}

const assumes = ['name/sts:AssumeRole'];

const credentialsTypes: { readonly [T in CredentialsType]: Row<ConfigOf<T>> } = {
  none: {
    identity: () => 'no credentials',
    failing: [],
    create: () => noCredentials,
  },
  environment: {
    identity: ({ secret_id_env: name }) => `the key in ${name ?? usualNames.secretId}`,
    exists: ({ env }) => Promise.resolve(isSet(env, usualNames.secretId, usualNames.secretKey)),
    failing: ['environment'],
    create: (config, { watch }, { env }) => {
      const { secret_id_env: secretId, secret_key_env: secretKey, token_env: token } = config;
      return watched(environmentCredentials(env, { secretId, secretKey, token }), watch);
    },
  },
  files: {
    identity: ({ secret_id_file: file }) => `the key in ${file}`,
    failing: ['files'],
    create: (config, { watch }, { clock, fileCalls: calls }) => {
      const { secret_id_file: secretIdFile, secret_key_file: secretKeyFile } = config;
      const files = { secretIdFile, secretKeyFile, tokenFile: config.token_file };
      return watched(fileCredentials(files, { clock, calls }), watch);
    },
  },
  profile: {
    identity: ({ profile, file }) =>
      `the key in the profile ${profile} of ${file ?? 'the usual file'}`,
    exists: ({ env, fileCalls }) => profileExists(usualProfileFiles(env), fileCalls),
    failing: ['profile'],
    create: ({ profile, file }, { watch }, { clock, env, fileCalls: calls }) => {
      const files = file === undefined ? usualProfileFiles(env) : [file];
      return watched(profileCredentials(profile, files, { clock, calls }), watch);
    },
  },
  cvm_role: {
    identity: ({ role }) => `the role ${role ?? 'that is bound to the machine'}`,
    trust: () => [{ effect: 'allow', action: assumes, principal: { service: ['cvm.qcloud.com'] } }],
    asks: ['metadata'],
    failing: ['cvm_role'],
    create: ({ role }, parts, tools) =>
      expiring(parts, tools, () => {
        const { metadataEndpoint: endpoint, timeoutMs } = tools.api();
        return fetchMachineRole(role, { ...tools, endpoint, timeoutMs });
      }),
  },
  tke_oidc: {
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
    asks: ['sts'],
    exists: ({ env }) => Promise.resolve(isSet(env, tkeVariables.roleArn, tkeVariables.tokenFile)),
    failing: ['tke_oidc'],
    create: ({ session_name: name }, parts, tools) => {
      const fetch = webIdentityFetch(tools.env, name, tools.fileCalls);
      const client = parts.sts(noCredentials);
      return expiring(parts, tools, () => fetch(client));
    },
  },
  assume_role: {
    identity: ({ role_arn: role }) => role,
    trust: ({ external_id: externalId, source }) => [
      {
        effect: 'allow',
        action: assumes,
        principal: { qcs: [`qcs::cam::uin/${ownerOf(source)}:root`] },
        ...(externalId !== undefined && {
          condition: { string_equal: { 'sts:external_id': [externalId] } },
        }),
      },
    ],
    asks: ['sts'],
    failing: ['assume_role'],
    create: (config, parts, tools) => {
      const role = {
        roleArn: config.role_arn,
        externalId: config.external_id,
        sessionName: config.session_name,
        durationMs: config.duration,
      };
      const client = parts.sts(parts.source);
      return expiring(parts, tools, () => fetchAssumedRole(role, client));
    },
  },
  default: {
    identity: () => 'the key or the role that type default finds',
    asks: ['sts', 'metadata'],
    failing: ['environment', 'profile', 'tke_oidc', 'cvm_role'],
    create: (_config, parts, tools) => {
      const candidates = defaultSources.map((config) => ({
        exists: async () => (await rowOf(config).exists?.(tools)) ?? false,
        provider: rowOf(config).create(config, parts, tools),
      }));
      return firstOf(candidates, rowOf(lastResort).create(lastResort, parts, tools));
    },
  },
};

export const typeNames = credentialsSchema.options.map(({ shape }) => shape.type.value);

/** The keys of a type, with its `type`. `init` asks for those that are required. */
export function fieldsOf(type: string): Readonly<Record<string, z.ZodType>> {
  const schema = credentialsSchema.options.find(({ shape }) => shape.type.value === type);
  return schema?.shape ?? {};
}

/** The row of some credentials. */
export function rowOf({ type }: CredentialsConfig): Row {
  return credentialsTypes[type];
}

/** Names who signs: the same text for all credentials of one identity. Holds no secret. */
export function identityOf(config: CredentialsConfig): string {
  return rowOf(config).identity(config);
}

/** Names the owner of a rate limit. Accounts with one identity share it; unsigned requests count by account. */
export function callerOf(account: string, credentials: CredentialsConfig): string {
  return credentials.type === 'none' ? `account ${account}` : identityOf(credentials);
}

/** The sources that type `default` looks for, in their order. The role of a machine is the last resort. */
const defaultSources: readonly CredentialsConfig[] = [
  { type: 'environment' },
  { type: 'profile', profile: 'default' },
  { type: 'tke_oidc', session_name: 'cvm-quota-monitor' },
];
const lastResort: CredentialsConfig = { type: 'cvm_role' };

/** The owner of a source, for a trust policy: `<…>` if the configuration does not know it. */
function ownerOf(source: CredentialsConfig): string {
  const [, uin] = source.type === 'assume_role' ? (/uin\/(\d+):/.exec(source.role_arn) ?? []) : [];
  return uin ?? `<uin of ${identityOf(source)}>`;
}

/** The same provider. Its failures are recorded. */
function watched(provider: CredentialsProvider, watch: SourceParts['watch']): CredentialsProvider {
  return { ...provider, get: () => watch(provider.get()) };
}

function expiring(
  { watch }: SourceParts,
  { clock, random }: CredentialsTools,
  fetch: ExpiringOptions['fetch'],
): CredentialsProvider {
  return new ExpiringCredentials({ clock, random, fetch: () => watch(fetch()) });
}
