/** Says where the credentials of an account come from. Reads and shows no secret. */
import { tkeVariables, usualNames } from '../api/credentials/usual-names.ts';
import type { CredentialsConfig } from './config.ts';

/**
 * One line of text.
 *
 * @param here what type `default` uses on this machine
 */
export function credentialsText(credentials: CredentialsConfig, here: string): string {
  switch (credentials.type) {
    case 'none':
      return 'none: requests are not signed';
    case 'environment': {
      const { secret_id_env: id, secret_key_env: key, token_env: token } = credentials;
      const names = [id ?? usualNames.secretId, key ?? usualNames.secretKey, token];
      return `environment: ${names.filter((name) => name !== undefined).join(', ')}`;
    }
    case 'files': {
      const { secret_id_file: id, secret_key_file: key, token_file: token } = credentials;
      return `files: ${[id, key, token].filter((name) => name !== undefined).join(', ')}`;
    }
    case 'profile':
      return `profile: ${credentials.profile} of ${credentials.file ?? '~/.tencentcloud/credentials, else /etc/tencentcloud/credentials'}`;
    case 'cvm_role':
      return `cvm_role: ${credentials.role ?? 'the role of the machine'}, from the metadata service`;
    case 'tke_oidc':
      return `tke_oidc: the role in ${tkeVariables.roleArn}, with the token in ${tkeVariables.tokenFile}`;
    case 'assume_role': {
      const { role_arn: role, external_id: externalId, source } = credentials;
      const condition = externalId === undefined ? '' : ' with an external ID';
      return `assume_role: ${role}${condition}, assumed by ${credentialsText(source, here)}`;
    }
    case 'default':
      return `default: on this machine ${here}`;
  }
}
