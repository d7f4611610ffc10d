/** Reads credentials from environment variables: the type `environment`. */
import { nonSecretText } from '../validation/text-schemas.ts';
import type { Environment } from '../api/proxy.ts';
import type { KeysOf } from './credentials-type.ts';
import { checkedSecret, CredentialsError, type FetchCredentials } from './provider.ts';

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

/**
 * The schema of the name of a variable: upper-case letters, digits and underscores. So a SecretKey of 32 mixed letters is no
 * name. The lookaheads refuse a SecretId, and a SecretKey in upper case.
 */
const variableName = (value: string, usual: string) =>
  nonSecretText(
    /^(?!AKID[A-Z0-9]{12})(?![A-Z0-9]{32}$)[A-Z_][A-Z0-9_]{0,127}$/,
    'the name of an environment variable: upper-case letters, digits and underscores',
  )
    .optional()
    .describe(`Name of the variable with the ${value}. Default: ${usual}.`);

const usualTokens = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(usualNames.tokens);

/** The keys in the configuration. An absent name defaults to the one that the service's own tools use. */
export const environmentKeys = {
  secret_id_env: variableName('SecretId', usualNames.secretId),
  secret_key_env: variableName('SecretKey', usualNames.secretKey),
  token_env: variableName('session token', `${usualTokens}, beside the default keys`),
};

/**
 * Returns a function that reads the variables. Without `token_env`, the token comes from the usual variables, but only
 * together with the usual SecretId and SecretKey: it belongs to no other key.
 */
export function environmentCredentials(
  env: Environment,
  keys: KeysOf<typeof environmentKeys>,
): FetchCredentials {
  const { secret_id_env: secretId = usualNames.secretId } = keys;
  const { secret_key_env: secretKey = usualNames.secretKey } = keys;
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
  const tokenName = keys.token_env ?? tokens.find((name) => isAnySet(env, name));
  const read = () => ({
    secretId: variable(secretId),
    secretKey: variable(secretKey),
    token: tokenName === undefined ? null : variable(tokenName),
  });
  // Errors of `read` become rejections.
  return () => Promise.resolve().then(read);
}
