/** The access policies that a configuration needs: the permissions of each identity, and who may assume it. */
import type { PolicyStatement } from './credentials-type.ts';
import { identityOf, typeOf, type CredentialsConfig } from './types.ts';

/** The policies of one identity, in the form of access management. */
export interface IdentityPolicies {
  /** The role, or where the key comes from. */
  readonly identity: string;
  /** The accounts that are watched with it, or with a role that it assumes. */
  readonly accounts: readonly string[];
  readonly policy: { readonly version: '2.0'; readonly statement: readonly PolicyStatement[] };
  /** Of roles only. */
  readonly trust?: { readonly version: '2.0'; readonly statement: readonly PolicyStatement[] };
}

/** An account, and who signs its requests. */
interface PolicyAccount {
  readonly name: string;
  readonly credentials: CredentialsConfig;
}

/** What an account needs of one identity. */
interface Use {
  readonly identity: string;
  readonly account: string;
  readonly actions: readonly string[];
  /** The roles that it assumes. */
  readonly roles: readonly string[];
  readonly trust: readonly PolicyStatement[];
}

/**
 * The policies with the least privileges. Accounts that the configuration does not know are written as
 * `<…>`.
 *
 * @param actionsOf the actions that the targets of an account need
 */
export function accessPolicies(
  accounts: readonly PolicyAccount[],
  actionsOf: (account: string) => readonly string[],
): readonly IdentityPolicies[] {
  const identities = new Map<string, Use[]>();
  for (const { name, credentials } of accounts) {
    for (const use of usesOf(credentials, { account: name, actions: actionsOf(name), roles: [] })) {
      const uses = identities.get(use.identity) ?? [];
      uses.push(use);
      identities.set(use.identity, uses);
    }
  }
  return [...identities].map(([identity, uses]) => policiesOf(identity, uses));
}

/** What is needed of credentials, and of the sources that assume their roles. */
function usesOf(
  credentials: CredentialsConfig,
  needed: Pick<Use, 'account' | 'actions' | 'roles'>,
): readonly Use[] {
  const row = typeOf(credentials);
  const use = (owner: string): Use => ({
    ...needed,
    identity: row.identity(credentials),
    trust: row.trust?.(credentials, owner) ?? [],
  });
  if (credentials.type !== 'assume_role') return [use('')];
  const { role_arn: role, source } = credentials;
  const ofSource = usesOf(source, { account: needed.account, actions: [], roles: [role] });
  return [use(ownerOf(source)), ...ofSource];
}

function policiesOf(identity: string, uses: readonly Use[]): IdentityPolicies {
  const actions = uses.flatMap((use) => use.actions);
  const roles = uses.flatMap((use) => use.roles);
  const permissions = [
    { action: unique(actions).sort(), resource: ['*'] },
    { action: roles.length === 0 ? [] : ['name/sts:AssumeRole'], resource: unique(roles).sort() },
  ];
  const statement = permissions
    .filter(({ action }) => action.length > 0)
    .map((permission) => ({ effect: 'allow', ...permission }));
  const trust = new Map(
    uses.flatMap((use) => use.trust).map((each) => [JSON.stringify(each), each]),
  );
  return {
    identity,
    accounts: unique(uses.map(({ account }) => account)),
    policy: { version: '2.0', statement },
    ...(trust.size > 0 && { trust: { version: '2.0', statement: [...trust.values()] } }),
  };
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

/** The owner of a source, for a trust policy: `<…>` if the configuration does not know it. */
function ownerOf(source: CredentialsConfig): string {
  const [, uin] = source.type === 'assume_role' ? (/uin\/(\d+):/.exec(source.role_arn) ?? []) : [];
  return uin ?? `<uin of ${identityOf(source)}>`;
}
