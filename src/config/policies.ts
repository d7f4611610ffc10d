/** The access policies that a configuration needs: the permissions of each identity, and who may assume it. */
import type { Config } from './config.ts';
import type { CredentialsConfig } from './credentials-schema.ts';
import { rowOf, type TrustStatement } from './credentials-types.ts';

interface Statement {
  readonly effect: 'allow';
  readonly action: readonly string[];
  readonly resource: readonly string[];
}

/** The policies of one identity, in the form of access management. */
export interface IdentityPolicies {
  /** The role, or where the key comes from. */
  readonly identity: string;
  /** The accounts that are watched with it, or with a role that it assumes. */
  readonly accounts: readonly string[];
  readonly policy: { readonly version: '2.0'; readonly statement: readonly Statement[] };
  /** Of roles only. */
  readonly trust?: { readonly version: '2.0'; readonly statement: readonly TrustStatement[] };
}

interface Identity {
  readonly credentials: CredentialsConfig;
  readonly accounts: Set<string>;
  /** The operations of cvm. */
  readonly actions: Set<string>;
  /** The roles that it assumes. */
  readonly roles: Set<string>;
  /** The ways in which it is assumed, each once. */
  readonly trust: Map<string, TrustStatement>;
}

/**
 * The policies with the least privileges. Accounts that the configuration does not know are written as
 * `<…>`.
 *
 * @param actionsOf the actions that the targets of an account need
 */
export function accessPolicies(
  { accounts }: Pick<Config, 'accounts'>,
  actionsOf: (account: string) => readonly string[],
): readonly IdentityPolicies[] {
  const identities = new Map<string, Identity>();
  const entryOf = (credentials: CredentialsConfig, account: string): Identity => {
    const row = rowOf(credentials);
    const name = row.identity(credentials);
    const identity: Identity = identities.get(name) ?? {
      credentials,
      accounts: new Set(),
      actions: new Set(),
      roles: new Set(),
      trust: new Map(),
    };
    identities.set(name, identity);
    identity.accounts.add(account);
    for (const statement of row.trust?.(credentials) ?? []) {
      identity.trust.set(JSON.stringify(statement), statement);
    }
    if (credentials.type === 'assume_role') {
      entryOf(credentials.source, account).roles.add(credentials.role_arn);
    }
    return identity;
  };
  for (const { name, credentials } of accounts) {
    const { actions } = entryOf(credentials, name);
    for (const action of actionsOf(name)) actions.add(action);
  }
  return [...identities].map(([identity, parts]) => policiesOf(identity, parts));
}

function policiesOf(
  identity: string,
  { accounts, actions, roles, trust }: Identity,
): IdentityPolicies {
  const permissions = [
    { action: [...actions].sort(), resource: ['*'] },
    { action: roles.size === 0 ? [] : ['name/sts:AssumeRole'], resource: [...roles].sort() },
  ];
  const statement = permissions
    .filter(({ action }) => action.length > 0)
    .map((permission) => ({ effect: 'allow' as const, ...permission }));
  return {
    identity,
    accounts: [...accounts],
    policy: { version: '2.0', statement },
    ...(trust.size > 0 && { trust: { version: '2.0', statement: [...trust.values()] } }),
  };
}
