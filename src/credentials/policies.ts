/** Derives the access policies that a configuration needs, for `print-policy` and `init`. */
import type { PolicyStatement } from './credentials-type.ts';
import { identityOf, typeOf, type CredentialsConfig } from './types.ts';

/** The policies of one identity, in the form of access management. */
export type IdentityPolicies = ReturnType<typeof policiesOf>;

/** What one identity needs, for all accounts, and who may assume it: empty, to be filled by `accessPolicies`. */
const noNeeds = () => ({
  accounts: new Set<string>(),
  actions: new Set<string>(),
  /** The roles that the identity assumes. */
  roles: new Set<string>(),
  /** The statements of its trust policy, by their text. */
  trust: new Map<string, PolicyStatement>(),
});

type Needs = ReturnType<typeof noNeeds>;

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
  const byIdentity = new Map<string, Needs>();
  /**
   * Adds the needs of credentials, and of their source.
   *
   * @param role the role that they assume; `null`: they sign the requests about the targets of the account
   */
  const add = (account: string, credentials: CredentialsConfig, role: string | null) => {
    const rules = typeOf(credentials);
    const identity = rules.identity(credentials);
    const needs = byIdentity.get(identity) ?? noNeeds();
    byIdentity.set(identity, needs);
    needs.accounts.add(account);
    if (role !== null) needs.roles.add(role);
    else for (const action of actionsOf(account)) needs.actions.add(action);
    const isAssumed = credentials.type === 'assume_role';
    // Only a role that is assumed names an owner in its trust policy.
    const owner = isAssumed ? ownerOf(credentials.source) : '';
    const statements = rules.trust?.(credentials, owner) ?? [];
    for (const each of statements) needs.trust.set(JSON.stringify(each), each);
    if (isAssumed) add(account, credentials.source, credentials.role_arn);
  };
  for (const { name, credentials } of accounts) add(name, credentials, null);
  return [...byIdentity].map(([identity, needs]) => policiesOf(identity, needs));
}

/** Writes the needs of an identity as policies. */
function policiesOf(identity: string, { accounts, actions, roles, trust }: Needs) {
  const permissions = [
    { action: [...actions].sort(), resource: ['*'] },
    { action: roles.size === 0 ? [] : ['name/sts:AssumeRole'], resource: [...roles].sort() },
  ];
  const statement = permissions
    .filter(({ action }) => action.length > 0)
    .map((permission) => ({ effect: 'allow', ...permission }));
  return {
    /** The role, or where the key comes from. */
    identity,
    /** The accounts whose requests it signs, itself or by a role that it assumes. */
    accounts: [...accounts],
    policy: { version: '2.0', statement },
    // Absent for keys: only a role has a trust policy.
    ...(trust.size > 0 && { trust: { version: '2.0', statement: [...trust.values()] } }),
  };
}

/** The number of the account that owns a source, for a trust policy: `<…>` if the configuration does not know it. */
function ownerOf(source: CredentialsConfig): string {
  const [, uin] = source.type === 'assume_role' ? (/uin\/(\d+):/.exec(source.role_arn) ?? []) : [];
  return uin ?? `<uin of ${identityOf(source)}>`;
}
