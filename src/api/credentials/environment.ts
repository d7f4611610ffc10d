import {
  checkedSecret,
  credentialsError,
  type Credentials,
  type CredentialsProvider,
} from './credentials.ts';

/** Names of variables; an absent one means the name that the service's own tools use. */
export interface EnvironmentNames {
  readonly secretId?: string | undefined;
  readonly secretKey?: string | undefined;
  /**
   * A variable that is named here must be set. When absent, a token is taken from the usual variables,
   * but only beside the usual SecretId and SecretKey: it belongs to no other.
   */
  readonly token?: string | undefined;
}

const usualSecretIdName = 'TENCENTCLOUD_SECRET_ID';
const usualSecretKeyName = 'TENCENTCLOUD_SECRET_KEY';

/** The session token's name differs by tool (docs/service.md, section 12); the first that is set counts. */
const usualTokenNames = [
  'TENCENTCLOUD_TOKEN',
  'TENCENTCLOUD_SESSION_TOKEN',
  'TENCENTCLOUD_SECURITY_TOKEN',
];

/** Credentials from environment variables, read whenever they are needed. */
export function environmentCredentials(
  env: Readonly<Record<string, string | undefined>>,
  names: EnvironmentNames = {},
): CredentialsProvider {
  return {
    get: () =>
      new Promise((resolve) => {
        resolve(fromEnvironment(env, names));
      }),
    refresh: () => undefined,
  };
}

function fromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  names: EnvironmentNames,
): Credentials {
  const variable = (name: string) => {
    const value = env[name];
    if (value === undefined) {
      throw credentialsError(`the environment variable ${name} is not set: set it and restart`);
    }
    return checkedSecret(value.trim(), `the environment variable ${name}`);
  };
  const { secretId = usualSecretIdName, secretKey = usualSecretKeyName } = names;
  const isUsual = secretId === usualSecretIdName && secretKey === usualSecretKeyName;
  const usualTokenName = isUsual
    ? usualTokenNames.find((name) => (env[name] ?? '').trim() !== '')
    : undefined;
  const tokenName = names.token ?? usualTokenName;
  return {
    secretId: variable(secretId),
    secretKey: variable(secretKey),
    token: tokenName === undefined ? null : variable(tokenName),
  };
}
