/**
 * The schema of an account with its keys, roles and providers of tokens, and the look-up of a role by its name.
 * `scenario.ts` has the schema; `authenticate.ts`, `read-scenario.ts` and the operations of STS use the rest.
 */
import { z } from 'zod';
import { policySchema, trustSchema } from './policy.ts';
import { regionSchema } from './region.ts';
import { durationText } from '../../validation/duration.ts';
import { listOf, matching, uniqueList } from './schema-parts.ts';
import { count, operationName } from './vocabulary.ts';

const policy = policySchema.optional().describe('what it may do; everything when absent');

export const secretIdPattern = /^[A-Za-z0-9_-]{1,128}$/;

const key = z.strictObject({
  secret_id: matching(secretIdPattern, 'letters, digits, _ and -').describe('of one account only'),
  secret_key: z.string().min(1).describe('what requests are signed with'),
  token: matching(/^[\x21-\x7e]+$/, 'ASCII without spaces, since it goes into a header')
    .optional()
    .describe('makes the key a temporary one'),
  policy,
});
export type AccessKey = z.output<typeof key>;

const role = z.strictObject({
  name: matching(/^[\w+=,.@-]{1,128}$/, 'letters, digits and + = , . @ _ -').describe(
    'the NAME of qcs::cam::uin/UIN:roleName/NAME',
  ),
  id: matching(/^\d{1,20}$/, 'digits')
    .default('4611686018427397919')
    .describe('the ID of qcs::cam::uin/UIN:role/ID'),
  policy,
  trust: trustSchema.optional().describe('who may assume it; every caller when absent'),
  max_session: durationText({ max: '12h' })
    .default('12h')
    .describe('the longest duration of a session'),
});
export type Role = z.output<typeof role>;

const oidcProvider = z.strictObject({
  id: z.string().min(1).describe('the ProviderId, such as the ID of a cluster'),
  issuer: z.string().default('https://oidc.example').describe('the condition oidc:iss'),
  audience: z.string().default('sts.cloud.tencent.com').describe('the condition oidc:aud'),
  tokens: listOf(z.string().min(1), 'as WebIdentityToken; compared as text'),
});

export const accountSchema = z.strictObject({
  name: z.string().min(1).describe('what actions and faults call it'),
  app_id: count.default(251007416).describe('the AppId of answers'),
  uin: z.string().default('251009920').describe('the CreatedBy of templates'),
  keys: listOf(key, 'an account without keys and roles takes unsigned requests'),
  roles: uniqueList(role, 'name', 'what AssumeRole and the metadata service give'),
  oidc_providers: uniqueList(oidcProvider, 'id', 'for AssumeRoleWithWebIdentity'),
  denied_operations: listOf(operationName, 'get UnauthorizedOperation'),
  regions: uniqueList(regionSchema, 'name', 'others are UnsupportedRegion'),
});
export type Account = z.output<typeof accountSchema>;

/** True when requests of the account must be signed: it has keys, or roles, which get temporary keys. */
export function hasKeys({ keys, roles }: Account): boolean {
  return keys.length > 0 || roles.length > 0;
}

/** The form of {@link roleArns}. */
export const roleArnPattern = /^qcs::cam::uin\/\d+:(roleName|role)\/[\w+=,.@-]+$/;

/** Both names of a role: `qcs::cam::uin/12345678:roleName/NAME`, and `…:role/ID`. */
export function roleArns({ uin }: Account, { id, name }: Role): readonly string[] {
  return [`roleName/${name}`, `role/${id}`].map((ofRole) => `qcs::cam::uin/${uin}:${ofRole}`);
}

/** Finds a role by one of its {@link roleArns}. `undefined` when no account has it. */
export function findRole(arn: unknown, accounts: readonly Account[]) {
  return accounts
    .flatMap((account) => account.roles.map((role) => ({ account, role })))
    .find(({ account, role }) => roleArns(account, role).some((name) => name === arn));
}
/** A role, and the account that has it. */
export type RoleOfAccount = NonNullable<ReturnType<typeof findRole>>;
