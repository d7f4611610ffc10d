/**
 * Policies in the form of access management: the schemas of what a key or role may do and of who may assume a role,
 * and the two decisions, {@link allows} and {@link trusts}. `service/dispatch.ts`, the operations of STS and the
 * metadata service call them. An action or name that no statement allows is denied.
 */
import { z } from 'zod';

const texts = z.union([z.string(), z.array(z.string())]);

const effect = z.enum(['allow', 'deny']).describe('deny overrides allow');
const action = texts.describe('such as name/cvm:DescribeAccountQuota; `*` matches any text');
const policyVersion = z.literal('2.0').describe('the version of the form of policies');

/** The schema of a policy. Its statements have `effect`, `action`, and these fields. */
function policyOf<S extends z.ZodRawShape>(fields: S, what: string) {
  const statement = z.array(z.strictObject({ effect, action, ...fields })).describe(what);
  return z.strictObject({ version: policyVersion, statement });
}

export const policySchema = policyOf(
  { resource: texts.describe('a role for AssumeRole; `*` for the operations of other services') },
  'what is allowed and denied; everything else is denied',
);
export type Policy = z.output<typeof policySchema>;

export const trustSchema = policyOf(
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

/**
 * Decides whether the owner of the policy may carry out an action.
 *
 * @param name the action, such as `name/cvm:DescribeAccountQuota`
 * @param resources all names of the resource; one of them must match
 */
export function allows({ statement }: Policy, name: string, resources: readonly string[]): boolean {
  const applying = statement.filter(({ resource }) => matchesAny(resource, resources));
  return isAllowed(name, applying);
}

type Statement = Pick<Policy['statement'][number], 'action' | 'effect'>;

/** True when a statement allows the action, and none denies it. */
function isAllowed(name: string, statements: readonly Statement[]): boolean {
  const ofAction = statements.filter(({ action }) => matchesAny(action, [name]));
  const effects = ofAction.map(({ effect }) => effect);
  return effects.includes('allow') && !effects.includes('deny');
}

/** The parts of a request to assume a role that a trust policy looks at. */
export interface RoleRequest {
  /** The action, such as `name/sts:AssumeRole`. */
  readonly action: string;
  /** The kind of the caller: an account (`qcs`), a machine (`service`), or a provider of tokens (`federated`). */
  readonly principal: keyof TrustPolicy['statement'][number]['principal'];
  /** The name of the caller. */
  readonly name: string;
  /** The values that conditions are compared with, such as `sts:external_id`. */
  readonly context: Readonly<Record<string, string | null>>;
}

/**
 * Decides whether a role may be assumed.
 *
 * @param trust its trust policy; `undefined` trusts every caller
 */
export function trusts(trust: TrustPolicy | undefined, request: RoleRequest): boolean {
  if (trust === undefined) return true;
  const applying = trust.statement.filter(({ principal, condition }) => {
    const conditions = Object.entries(condition?.string_equal ?? {});
    return (
      matchesAny(principal[request.principal] ?? [], [request.name]) &&
      conditions.every(([name, accepted]) =>
        [accepted].flat().includes(request.context[name] ?? ''),
      )
    );
  });
  return isAllowed(request.action, applying);
}

/** True when one of the names matches one of the patterns. */
function matchesAny(patterns: string | readonly string[], names: readonly string[]): boolean {
  return [patterns].flat().some((pattern) => names.some((name) => matches(pattern, name)));
}

/**
 * Matches an action, a resource or a caller with a pattern, in which `*` is any text. A pattern of an action may lack the
 * prefix `name/`; resources and callers never begin with it.
 */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^(name/)?${parts.join('.*')}$`).test(name);
}
