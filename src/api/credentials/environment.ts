import {
  checkedSecret,
  CredentialsError,
  readCredentials,
  type Credentials,
  type CredentialsProvider,
} from './credentials.ts';
import { usualNames } from './usual-names.ts';

/** Names of variables. An absent name defaults to the name that the service's own tools use. */
export interface EnvironmentNames {
  readonly secretId?: string | undefined;
  readonly secretKey?: string | undefined;
  /**
   * A variable that is named here must be set. Without a name, the token comes from the usual variables, but
   * only together with the usual SecretId and SecretKey: it belongs to no other key.
   */
  readonly token?: string | undefined;
}

/** Credentials from environment variables, which are read at every use. */
export function environmentCredentials(
  env: Readonly<Record<string, string | undefined>>,
  names: EnvironmentNames = {},
): CredentialsProvider {
  return readCredentials(
    () =>
      new Promise((resolve) => {
        resolve(fromEnvironment(env, names));
      }),
  );
}

function fromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  names: EnvironmentNames,
): Credentials {
  const variable = (name: string) => {
    const value = env[name];
    if (value === undefined) {
      const message = `the environment variable ${name} is not set: set it and restart`;
      throw new CredentialsError('environment', message);
    }
    return checkedSecret('environment', value.trim(), `the environment variable ${name}`);
  };
  const { secretId = usualNames.secretId, secretKey = usualNames.secretKey } = names;
  const isUsual = secretId === usualNames.secretId && secretKey === usualNames.secretKey;
  const usualTokenName = isUsual
    ? usualNames.tokens.find((name) => (env[name] ?? '').trim() !== '')
    : undefined;
  const tokenName = names.token ?? usualTokenName;
  return {
    secretId: variable(secretId),
    secretKey: variable(secretKey),
    token: tokenName === undefined ? null : variable(tokenName),
  };
}
