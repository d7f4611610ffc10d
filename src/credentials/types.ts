/**
 * All types of credentials: their keys in the configuration, and the rules of each. The configuration holds names of
 * variables and paths of files, never a secret.
 */
import { z } from 'zod';
import {
  credentialsType,
  fetchedCredentials,
  type CredentialsTypeRules,
} from './credentials-type.ts';
import { noCredentials } from './provider.ts';
import { assumedRoleFetch, assumedRoleKeys } from './role-session.ts';
import { assumeRoleActions, sourceSchemas, sourceTypes } from './source-types.ts';

/** The keys of a role that is assumed by credentials of the schema `source`. */
const roleOf = <Source extends z.ZodType>(source: Source) =>
  z.strictObject({
    type: z.literal('assume_role').describe('A role, which other credentials assume.'),
    ...assumedRoleKeys.shape,
    source: source.describe(
      'The credentials that assume the role: any type but none. It can be a role again, whose source is then no role.',
    ),
  });

const firstRole = roleOf(z.discriminatedUnion('type', sourceSchemas).prefault({ type: 'default' }));

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
    roleOf(
      z.discriminatedUnion('type', [...sourceSchemas, firstRole]).prefault({ type: 'default' }),
    ),
    {
      identity: ({ role_arn: role }) => role,
      trust: ({ external_id: externalId }, owner) => [
        {
          effect: 'allow',
          action: assumeRoleActions,
          principal: { qcs: [`qcs::cam::uin/${owner}:root`] },
          ...(externalId !== undefined && {
            condition: { string_equal: { 'sts:external_id': [externalId] } },
          }),
        },
      ],
      failureTypes: ['assume_role'],
      create: (config, tools) => fetchedCredentials(tools, assumedRoleFetch(config, tools)),
    },
  ),
};

/** The key `credentials` of an account. */
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

/** The rules of the type of some credentials. */
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
