/** Access policies and trust policies in the form of access management (docs/emulator.md). */
import { z } from 'zod';

const texts = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (typeof given === 'string' ? [given] : given));

const effect = z.enum(['allow', 'deny']).describe('deny overrides allow');
const action = texts.describe('such as name/cvm:DescribeAccountQuota; `*` matches any text');
const version = z.literal('2.0').describe('the version of the form of policies');

/** A policy whose statements have further fields. */
function policyOf<S extends z.ZodRawShape>(fields: S, what: string) {
  const statement = z.array(z.strictObject({ effect, action, ...fields })).describe(what);
  return z.strictObject({ version, statement });
}

export const policySchema = policyOf(
  { resource: texts.describe('a role for AssumeRole; `*` for the operations of cvm') },
  'what is allowed and denied; everything else is denied',
).meta({ id: 'PolicyInput', description: 'What an identity may do.' });
export type Policy = z.output<typeof policySchema>;

const principals = {
  qcs: texts.default([]).describe('accounts, such as qcs::cam::uin/100000000001:root'),
  service: texts.default([]).describe('such as cvm.qcloud.com, for a role of a machine'),
  federated: texts
    .default([])
    .describe('such as qcs::cam::uin/100000000001:oidc-provider/cls-1a2b3c4d'),
};

const accepted = z
  .record(z.string(), texts)
  .describe('such as sts:external_id, oidc:iss or oidc:aud, with the accepted values');

export const trustSchema = policyOf(
  {
    principal: z.strictObject(principals).describe('who may assume the role'),
    condition: z
      .strictObject({ string_equal: accepted })
      .optional()
      .describe('further conditions that must be true'),
  },
  'who may assume the role, and how',
).meta({ id: 'TrustPolicyInput', description: 'Who may assume a role.' });
export type TrustPolicy = z.output<typeof trustSchema>;

/**
 * Whether a policy allows an action.
 *
 * @param resources the names of the resource
 */
export function allows(policy: Policy, name: string, resources: readonly string[]): boolean {
  const effects = policy.statement
    .filter((statement) => matchesAny(statement.action, [name]))
    .filter((statement) => matchesAny(statement.resource, resources))
    .map((statement) => statement.effect);
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

export function trusts(trust: TrustPolicy, request: RoleRequest): boolean {
  const effects = trust.statement
    .filter((statement) => matchesAny(statement.action, [request.action]))
    .filter(({ principal }) => matchesAny(principal[request.principal], request.names))
    .filter(({ condition }) =>
      Object.entries(condition?.string_equal ?? {}).every(([key, accepted]) =>
        accepted.includes(request.context[key] ?? ''),
      ),
    )
    .map((statement) => statement.effect);
  return effects.includes('allow') && !effects.includes('deny');
}

function matchesAny(patterns: readonly string[], names: readonly string[]): boolean {
  return patterns.some((pattern) => names.some((name) => matches(pattern, name)));
}

/** `*` matches any text. The prefix `name/` of an action is optional. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^(name/)?${parts.join('.*')}$`).test(name);
}
