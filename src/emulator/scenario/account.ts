/** Accounts with their keys and roles, and the policies of these in the form of access management. */
import { z } from 'zod';
import { regionSchema } from './region.ts';
import { count, durationText, like, operationName, uniqueList } from './words.ts';

const texts = z.union([z.string(), z.array(z.string())]);

const effect = z.enum(['allow', 'deny']).describe('deny overrides allow');
const action = texts.describe('such as name/cvm:DescribeAccountQuota; `*` matches any text');
const policyVersion = z.literal('2.0').describe('the version of the form of policies');

/** A policy whose statements have further fields. */
function policyOf<S extends z.ZodRawShape>(fields: S, what: string) {
  const statement = z.array(z.strictObject({ effect, action, ...fields })).describe(what);
  return z.strictObject({ version: policyVersion, statement });
}

const policySchema = policyOf(
  { resource: texts.describe('a role for AssumeRole; `*` for the operations of cvm and vpc') },
  'what is allowed and denied; everything else is denied',
);
export type Policy = z.output<typeof policySchema>;

const trustSchema = policyOf(
  {
    principal: z.strictObject({
      qcs: texts.optional().describe('accounts, such as qcs::cam::uin/100000000001:root'),
      service: texts.optional().describe('such as cvm.qcloud.com, for a role of a machine'),
      federated: texts.optional().describe('such as qcs::cam::uin/1:oidc-provider/cls-1a2b3c4d'),
    }),
    condition: z
      .strictObject({ string_equal: z.record(z.string(), texts) })
      .optional()
      .describe('values of sts:external_id, oidc:iss or oidc:aud that are accepted'),
  },
  'who may assume the role, and how',
);
export type TrustPolicy = z.output<typeof trustSchema>;

const policy = policySchema.optional().describe('what it may do; everything when absent');

export const secretIdPattern = /^[A-Za-z0-9_-]{1,128}$/;

const key = z.strictObject({
  secret_id: like(secretIdPattern, 'letters, digits, _ and -').describe('of one account only'),
  secret_key: z.string().min(1).describe('what requests are signed with'),
  token: like(/^[\x21-\x7e]+$/, 'ASCII without spaces, since it goes into a header')
    .optional()
    .describe('makes the key a temporary one'),
  valid_for: durationText().optional().describe('how long after the start the token is accepted'),
  policy,
});
export type AccessKey = z.output<typeof key>;

const role = z.strictObject({
  name: like(/^[\w+=,.@-]{1,128}$/, 'letters, digits and + = , . @ _ -').describe(
    'the NAME of qcs::cam::uin/UIN:roleName/NAME',
  ),
  id: like(/^\d{1,20}$/, 'digits')
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
  tokens: z
    .array(
      z.strictObject({
        token: z.string().min(1).describe('a WebIdentityToken; compared as a text'),
        valid_for: durationText().optional().describe('since the start; no end when absent'),
      }),
    )
    .default([])
    .describe('the tokens of the provider'),
});

export const accountSchema = z.strictObject({
  name: z.string().min(1).describe('what actions and faults call it'),
  app_id: count.default(251007416).describe('the AppId of answers'),
  uin: z.string().default('251009920').describe('the CreatedBy of templates'),
  keys: z
    .array(key)
    .default([])
    .describe('an account without keys and roles takes unsigned requests'),
  roles: uniqueList(role, ({ name }) => name, 'what AssumeRole and the metadata service give'),
  oidc_providers: uniqueList(oidcProvider, ({ id }) => id, 'for AssumeRoleWithWebIdentity'),
  denied_operations: z.array(operationName).default([]).describe('get UnauthorizedOperation'),
  regions: uniqueList(regionSchema, ({ name }) => name, 'others are UnsupportedRegion'),
});
export type Account = z.output<typeof accountSchema>;

/** Whether requests of an account are signed. A role gets temporary keys. */
export function hasKeys({ keys, roles }: Account): boolean {
  return keys.length > 0 || roles.length > 0;
}

/**
 * Whether a policy allows an action.
 *
 * @param resources the names of the resource
 */
export function allows({ statement }: Policy, name: string, resources: readonly string[]): boolean {
  return isAllowed(statement, name, ({ resource }) => matchesAny(resource, resources));
}

/** An action is allowed when a statement that applies allows it, and none denies it. */
function isAllowed<S extends { readonly effect: string; readonly action: string | string[] }>(
  statements: readonly S[],
  name: string,
  applies: (statement: S) => boolean,
): boolean {
  const effects = statements
    .filter((each) => matchesAny(each.action, [name]) && applies(each))
    .map((each) => each.effect);
  return effects.includes('allow') && !effects.includes('deny');
}

/** A request to assume a role. */
export interface RoleRequest {
  readonly action: string;
  readonly principal: keyof TrustPolicy['statement'][number]['principal'];
  /** The names of the caller. */
  readonly names: readonly string[];
  /** The values that conditions are compared with, such as `sts:external_id`. */
  readonly context: Readonly<Record<string, string | null>>;
}

/** Whether a role may be assumed. A role without a trust policy trusts every caller. */
export function trusts(trust: TrustPolicy | undefined, request: RoleRequest): boolean {
  if (trust === undefined) return true;
  return isAllowed(trust.statement, request.action, ({ principal, condition }) => {
    const conditions = Object.entries(condition?.string_equal ?? {});
    return (
      matchesAny(principal[request.principal] ?? [], request.names) &&
      conditions.every(([name, accepted]) => listOf(accepted).includes(request.context[name] ?? ''))
    );
  });
}

function listOf(given: string | readonly string[]): readonly string[] {
  return typeof given === 'string' ? [given] : given;
}

function matchesAny(patterns: string | readonly string[], names: readonly string[]): boolean {
  return listOf(patterns).some((pattern) => names.some((name) => matches(pattern, name)));
}

/** `*` matches any text. The prefix `name/` of an action is optional. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^(name/)?${parts.join('.*')}$`).test(name);
}

export interface RoleOfAccount {
  readonly account: Account;
  readonly role: Role;
}

const arnForm = /^qcs::cam::uin\/(\d+):(roleName|role)\/([\w+=,.@-]+)$/;

/** Whether a text has the form of the name of a role: `qcs::cam::uin/12345678:roleName/NAME`, or `role/ID`. */
export function isRoleArn(text: string): boolean {
  return arnForm.test(text);
}

/** The role of this name. `null` when there is none. */
export function roleOf(arn: unknown, accounts: readonly Account[]): RoleOfAccount | null {
  const [, uin, kind, name] = typeof arn === 'string' ? (arnForm.exec(arn) ?? []) : [];
  for (const account of accounts.filter((each) => each.uin === uin)) {
    const role = account.roles.find((each) => name === (kind === 'role' ? each.id : each.name));
    if (role !== undefined) return { account, role };
  }
  return null;
}
