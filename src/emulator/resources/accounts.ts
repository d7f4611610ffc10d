/** Accounts with their keys and roles. */
import { z } from 'zod';
import { duration } from '../../validation/duration.ts';
import { policySchema, trustSchema, type Policy, type TrustPolicy } from '../access/policy.ts';
import { inCode } from '../input/words.ts';
import { operationName } from '../protocol/operation-names.ts';
import { createRegion, regionSchema, type Region } from './regions.ts';
import { count, keyedBy } from './schema.ts';

const policy = policySchema.optional().describe('what it may do; everything when absent');

export const secretIdPattern = /^[A-Za-z0-9_-]{1,128}$/;

const key = inCode(
  z.strictObject({
    secret_id: z
      .string()
      .regex(secretIdPattern, {
        error: 'expected letters, digits, _ and -, since no request can carry another ID',
      })
      .describe('letters, digits, _ and -; of one account only'),
    secret_key: z.string().min(1).describe('what requests are signed with'),
    token: z
      .string()
      .regex(/^[\x21-\x7e]+$/, {
        error: 'expected ASCII without spaces, since it goes into a header',
      })
      .optional()
      .describe('makes the key a temporary one'),
    valid_for: duration().optional().describe('how long after the start the token is accepted'),
    policy,
  }),
);

type KeyContent = z.output<typeof key>;

const role = inCode(
  z.strictObject({
    name: z
      .string()
      .regex(/^[\w+=,.@-]{1,128}$/, { error: 'expected letters, digits and + = , . @ _ -' })
      .describe('the NAME of qcs::cam::uin/UIN:roleName/NAME'),
    id: z
      .string()
      .regex(/^\d{1,20}$/, { error: 'expected digits' })
      .default('4611686018427397919')
      .describe('the ID of qcs::cam::uin/UIN:role/ID'),
    policy,
    trust: trustSchema.optional().describe('who may assume it; every caller when absent'),
    max_session: duration({ max: '12h' })
      .prefault('12h')
      .describe('the longest duration of a session'),
  }),
).transform(({ policy: own = null, trust = null, ...rest }) => ({ ...rest, policy: own, trust }));

const oidcProvider = z.strictObject({
  id: z.string().min(1).describe('the ProviderId, such as the ID of a cluster'),
  issuer: z.string().default('https://oidc.example').describe('the condition oidc:iss'),
  audience: z.string().default('sts.cloud.tencent.com').describe('the condition oidc:aud'),
  tokens: z
    .array(
      inCode(
        z.strictObject({
          token: z.string().min(1).describe('a WebIdentityToken; compared as a text'),
          valid_for: duration()
            .optional()
            .describe('how long after the start it is accepted; without end when absent'),
        }),
      ),
    )
    .default([])
    .describe('the tokens of the provider'),
});

type RoleContent = z.output<typeof role>;
type ProviderContent = z.output<typeof oidcProvider>;

export const accountSchema = inCode(
  z.strictObject({
    name: z.string().min(1).describe('what actions and faults call it'),
    app_id: count.default(251007416).describe('the AppId of answers'),
    uin: z.string().default('251009920').describe('the CreatedBy of templates'),
    keys: z
      .array(key)
      .default([])
      .describe('an account without keys and roles takes unsigned requests'),
    roles: z
      .array(role)
      .transform(keyedBy(({ name }) => name))
      .prefault([])
      .describe('what AssumeRole and the metadata service give'),
    oidc_providers: z
      .array(oidcProvider)
      .transform(keyedBy(({ id }) => id))
      .prefault([])
      .describe('whose tokens AssumeRoleWithWebIdentity accepts'),
    denied_operations: z
      .array(operationName)
      .transform((names) => new Set(names))
      .prefault([])
      .describe('answered with UnauthorizedOperation'),
    regions: z
      .array(regionSchema)
      .transform(keyedBy(({ name }) => name))
      .prefault([])
      .describe('the regions that answer; others are UnsupportedRegion'),
  }),
);
export type AccountContent = z.output<typeof accountSchema>;

export interface AccessKey extends Readonly<Pick<KeyContent, 'secretId' | 'secretKey'>> {
  /** `null` for a permanent key. */
  readonly token: string | null;
  /** Milliseconds since the Unix epoch. `null` when the key does not expire. */
  readonly validUntilMs: number | null;
  /** What requests with the key may do. `null` for everything. */
  readonly policy: Policy | null;
}

function createKey({ validForMs, ...content }: KeyContent, atMs: number): AccessKey {
  const { token = null, policy: own = null, ...pair } = content;
  return { ...pair, token, policy: own, validUntilMs: endOf(validForMs, atMs) };
}

/** A role of an account. Others assume it, and get temporary keys with its policy. */
export interface Role extends Readonly<Omit<RoleContent, 'policy' | 'trust'>> {
  /** `null` for everything. */
  readonly policy: Policy | null;
  /** `null` for every caller. */
  readonly trust: TrustPolicy | null;
}

/** The temporary key of a role. */
export interface Session extends AccessKey {
  readonly role: Role;
  readonly sessionName: string;
  readonly validUntilMs: number;
}

/** A provider of identities whose tokens are accepted, such as a cluster. */
export interface OidcProvider extends Readonly<Omit<ProviderContent, 'tokens'>> {
  readonly tokens: readonly {
    readonly token: string;
    /** Milliseconds since the Unix epoch. `null` when the token does not expire. */
    readonly validUntilMs: number | null;
  }[];
}

function createProvider({ tokens, ...provider }: ProviderContent, atMs: number): OidcProvider {
  return {
    ...provider,
    tokens: tokens.map(({ token, validForMs }) => ({
      token,
      validUntilMs: endOf(validForMs, atMs),
    })),
  };
}

function endOf(validForMs: number | undefined, atMs: number): number | null {
  return validForMs === undefined ? null : atMs + validForMs;
}

export interface Account extends Readonly<
  Pick<AccountContent, 'name' | 'appId' | 'uin' | 'deniedOperations'>
> {
  /** An account without keys and roles accepts unsigned requests. */
  readonly keys: readonly AccessKey[];
  readonly roles: ReadonlyMap<string, Role>;
  readonly oidcProviders: ReadonlyMap<string, OidcProvider>;
  /** The temporary keys of roles, by SecretId. */
  readonly sessions: Map<string, Session>;
  readonly regions: Map<string, Region>;
}

/** An account at the start of a scenario. It shares nothing with its content that can change. */
export function createAccount(content: AccountContent, atMs: number): Account {
  const { keys, oidcProviders, regions, ...account } = content;
  return {
    ...account,
    keys: keys.map((each) => createKey(each, atMs)),
    oidcProviders: new Map(
      [...oidcProviders].map(([id, each]) => [id, createProvider(each, atMs)]),
    ),
    sessions: new Map(),
    regions: new Map([...regions].map(([name, each]) => [name, createRegion(each, atMs)])),
  };
}
