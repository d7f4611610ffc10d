/** Reads credentials from environment variables: the type `environment`. */
import type { CredentialsProvider } from '../api/credentials.ts';
import type { Environment } from '../api/proxy.ts';
import { checkedSecret, CredentialsError, readCredentials } from './provider.ts';

/** The variables that the service's own tools read. */
export const usualNames = {
  secretId: 'TENCENTCLOUD_SECRET_ID',
  secretKey: 'TENCENTCLOUD_SECRET_KEY',
  /** The name depends on the tool (docs/service.md, section 12). The first variable that is set counts. */
  tokens: ['TENCENTCLOUD_TOKEN', 'TENCENTCLOUD_SESSION_TOKEN', 'TENCENTCLOUD_SECURITY_TOKEN'],
} as const;

/** Whether at least one of the variables is set to more than spaces. */
export function isAnySet(env: Environment, ...names: readonly string[]): boolean {
  return names.some((name) => (env[name] ?? '').trim() !== '');
}

/** The names of the variables to read. An absent name defaults to the name that the service's own tools use. */
export interface VariableNames {
  readonly secretId?: string | undefined;
  readonly secretKey?: string | undefined;
  /**
   * A variable that is named here must be set. Without a name, the token comes from the usual variables, but
   * only together with the usual SecretId and SecretKey: it belongs to no other key.
   */
  readonly token?: string | undefined;
}

/** The provider. It reads the variables at every use. */
export function environmentCredentials(
  env: Environment,
  names: VariableNames,
): CredentialsProvider {
  const { secretId = usualNames.secretId, secretKey = usualNames.secretKey } = names;
  const variable = (name: string) => {
    const value = env[name];
    if (value === undefined) {
      const message = `the environment variable ${name} is not set: set it where the program starts`;
      throw new CredentialsError('environment', message);
    }
    return checkedSecret('environment', value.trim(), `the environment variable ${name}`);
  };
  const isUsual = secretId === usualNames.secretId && secretKey === usualNames.secretKey;
  const tokens = isUsual ? usualNames.tokens : [];
  return readCredentials(() => {
    const token = names.token ?? tokens.find((name) => isAnySet(env, name));
    return {
      secretId: variable(secretId),
      secretKey: variable(secretKey),
      token: token === undefined ? null : variable(token),
    };
  });
}
