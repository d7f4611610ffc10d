/** The types of credentials, and the keys that `init` asks for: what the value of each is. Loads nothing. */
export const credentialsKeys = {
  default: {},
  environment: { secret_id_env: 'name', secret_key_env: 'name', token_env: 'name' },
  files: { secret_id_file: 'path', secret_key_file: 'path', token_file: 'path' },
  profile: { profile: 'name', file: 'path' },
  cvm_role: { role: 'name' },
  tke_oidc: {},
  assume_role: { role_arn: 'arn', external_id: 'id', source: 'type' },
  none: {},
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export type CredentialsType = keyof typeof credentialsKeys;
