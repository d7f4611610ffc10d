/** The access policies that a configuration needs: the permissions of each identity, and who may assume it. */
import { usualNames, tkeVariables } from '../api/credentials/usual-names.ts';
import type { Config, CredentialsConfig } from './config.ts';

interface Statement {
  readonly effect: 'allow';
  readonly action: readonly string[];
  readonly resource: readonly string[];
}

interface TrustStatement {
  readonly effect: 'allow';
  readonly action: readonly string[];
  readonly principal: Readonly<Record<string, readonly string[]>>;
  readonly condition?: {
    readonly string_equal: Readonly<Record<string, readonly string[]>>;
  };
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

type Role = Extract<CredentialsConfig, { type: 'assume_role' }>;

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
  const identityOf = (credentials: CredentialsConfig, account: string): Identity => {
    const name = nameOf(credentials);
    const identity: Identity = identities.get(name) ?? {
      credentials,
      accounts: new Set(),
      actions: new Set(),
      roles: new Set(),
      trust: new Map(),
    };
    identities.set(name, identity);
    identity.accounts.add(account);
    for (const statement of trustOf(credentials)) {
      identity.trust.set(JSON.stringify(statement), statement);
    }
    if (credentials.type === 'assume_role') {
      identityOf(credentials.source, account).roles.add(credentials.role_arn);
    }
    return identity;
  };
  for (const { name, credentials } of accounts) {
    const { actions } = identityOf(credentials, name);
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

/** Names an identity, and is the same for all credentials of one identity. Holds no secret. */
function nameOf(credentials: CredentialsConfig): string {
  switch (credentials.type) {
    case 'none':
      return 'no credentials';
    case 'environment':
      return `the key in ${credentials.secret_id_env ?? usualNames.secretId}`;
    case 'files':
      return `the key in ${credentials.secret_id_file}`;
    case 'profile':
      return `the key in the profile ${credentials.profile} of ${credentials.file ?? 'the usual file'}`;
    case 'cvm_role':
      return `the role ${credentials.role ?? 'that is bound to the machine'}`;
    case 'tke_oidc':
      return `the role in ${tkeVariables.roleArn}`;
    case 'assume_role':
      return credentials.role_arn;
    case 'default':
      return 'the key or the role that type default finds';
  }
}

const assumes = ['name/sts:AssumeRole'];

function trustOf(credentials: CredentialsConfig): readonly TrustStatement[] {
  switch (credentials.type) {
    case 'cvm_role':
      return [{ effect: 'allow', action: assumes, principal: { service: ['cvm.qcloud.com'] } }];
    case 'tke_oidc':
      return [
        {
          effect: 'allow',
          action: ['name/sts:AssumeRoleWithWebIdentity'],
          principal: {
            federated: [
              `qcs::cam::uin/<uin of the cluster>:oidc-provider/<${tkeVariables.providerId}>`,
            ],
          },
          condition: {
            string_equal: {
              'oidc:iss': ['<issuer of the cluster>'],
              'oidc:aud': ['<audience of the token>'],
            },
          },
        },
      ];
    case 'assume_role':
      return [roleTrust(credentials)];
    default:
      return [];
  }
}

function roleTrust({ external_id: externalId, source }: Role): TrustStatement {
  const [, uin] = source.type === 'assume_role' ? (/uin\/(\d+):/.exec(source.role_arn) ?? []) : [];
  const owner = uin ?? `<uin of ${nameOf(source)}>`;
  return {
    effect: 'allow',
    action: assumes,
    principal: { qcs: [`qcs::cam::uin/${owner}:root`] },
    ...(externalId !== undefined && {
      condition: { string_equal: { 'sts:external_id': [externalId] } },
    }),
  };
}
