/** Derives the access policies that a configuration needs, for `print-policy` and `init`. */
import type { PolicyStatement } from './credentials-type.ts';
import { identityOf, typeOf, type CredentialsConfig } from './types.ts';

/** The policies of one identity, in the form of access management. */
export type IdentityPolicies = ReturnType<typeof policiesOf>;

/** The permissions that one identity needs for one account, and who may assume it. */
interface Need {
  readonly identity: string;
  readonly account: string;
  readonly actions: readonly string[];
  /** The roles that the identity assumes. */
  readonly roles: readonly string[];
  readonly trust: readonly PolicyStatement[];
}

/**
 * The policies with the least privileges, one for each identity. A number that the configuration does not know is
 * written as `<…>`.
 *
 * @param actionsOf returns the actions that the targets of an account need, from its name
 */
export function accessPolicies(
  accounts: readonly { readonly name: string; readonly credentials: CredentialsConfig }[],
  actionsOf: (account: string) => readonly string[],
): readonly IdentityPolicies[] {
  const needs = accounts.flatMap(({ name: account, credentials }) =>
    needsOf(credentials, { account, actions: actionsOf(account), roles: [] }),
  );
  return unique(needs.map(({ identity }) => identity)).map((identity) =>
    policiesOf(identity, needs),
  );
}

/** The needs of the identity that signs, then of the source that assumes its role, and so on. */
function needsOf(
  credentials: CredentialsConfig,
  signing: Pick<Need, 'account' | 'actions' | 'roles'>,
): readonly Need[] {
  const rules = typeOf(credentials);
  const needOf = (owner: string): Need => ({
    ...signing,
    identity: rules.identity(credentials),
    trust: rules.trust?.(credentials, owner) ?? [],
  });
  // Only a role that is assumed names an owner in its trust policy.
  if (credentials.type !== 'assume_role') return [needOf('')];
  const { role_arn: role, source } = credentials;
  const ofSource = needsOf(source, { account: signing.account, actions: [], roles: [role] });
  return [needOf(ownerOf(source)), ...ofSource];
}

/** @param allNeeds also those of other identities */
function policiesOf(identity: string, allNeeds: readonly Need[]) {
  const needs = allNeeds.filter((need) => need.identity === identity);
  const actions = needs.flatMap((need) => need.actions);
  const roles = needs.flatMap((need) => need.roles);
  const permissions = [
    { action: unique(actions).sort(), resource: ['*'] },
    { action: roles.length === 0 ? [] : ['name/sts:AssumeRole'], resource: unique(roles).sort() },
  ];
  const statement = permissions
    .filter(({ action }) => action.length > 0)
    .map((permission) => ({ effect: 'allow', ...permission }));
  const trust = new Map(
    needs.flatMap((need) => need.trust).map((rule) => [JSON.stringify(rule), rule]),
  );
  return {
    /** The role, or where the key comes from. */
    identity,
    /** The accounts whose requests it signs, itself or by a role that it assumes. */
    accounts: unique(needs.map(({ account }) => account)),
    policy: { version: '2.0', statement },
    // Of roles only.
    ...(trust.size > 0 && { trust: { version: '2.0', statement: [...trust.values()] } }),
  };
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

/** The number of the account that owns a source, for a trust policy: `<…>` if the configuration does not know it. */
function ownerOf(source: CredentialsConfig): string {
  const [, uin] = source.type === 'assume_role' ? (/uin\/(\d+):/.exec(source.role_arn) ?? []) : [];
  return uin ?? `<uin of ${identityOf(source)}>`;
}
