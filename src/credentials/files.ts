/** Reads credentials from files: the type `files`, and what `profile` and `tke_oidc` share with it. */
import { HungCallError, type BoundedCalls } from '../bounded-calls.ts';
import { messageOf } from '../model/errors.ts';
import { readRegularFile } from '../validation/regular-file.ts';
import { filePath } from '../validation/text-schemas.ts';
import type { KeysOf } from './credentials-type.ts';
import {
  checkedSecret,
  CredentialsError,
  type FailureType,
  type FetchCredentials,
} from './provider.ts';

/** The keys in the configuration. */
export const fileKeys = {
  secret_id_file: filePath.describe('The path of the file with the SecretId.'),
  secret_key_file: filePath.describe('The path of the file with the SecretKey.'),
  token_file: filePath.describe('The path of the file with the session token.').optional(),
};

/** Returns a function that reads files with one value each, as in a mounted secret. */
export function fileCredentials(
  keys: KeysOf<typeof fileKeys>,
  fileCalls: BoundedCalls,
): FetchCredentials {
  const { secret_id_file: idFile, secret_key_file: keyFile, token_file: tokenFile } = keys;
  const readSecret = async (file: string) =>
    checkedSecret('files', (await readText('files', file)).trim(), `the credentials file ${file}`);
  const read = async () => ({
    secretId: await readSecret(idFile),
    secretKey: await readSecret(keyFile),
    token: tokenFile === undefined ? null : await readSecret(tokenFile),
  });
  const files = [idFile, keyFile, tokenFile].filter((file) => file !== undefined);
  return readOrLast('files', files, read, fileCalls);
}

/**
 * Returns a function that reads files in a bounded time. While a mount hangs, or while the mounts of two other accounts do,
 * it gives what it read last: the service refuses that if it has expired. Files are not watched: mounted secrets are
 * replaced through links, which a watch does not see.
 *
 * @param files what is read, for messages
 * @param read reads the files one after the other, because it may take one thread only
 * @returns the function. It rejects with each error of `read`, and with a CredentialsError when the files hang and were not
 *   read before
 */
export function readOrLast<T>(
  type: FailureType,
  files: readonly string[],
  read: () => Promise<T>,
  calls: BoundedCalls,
): () => Promise<T> {
  let last: { readonly value: T } | null = null;
  return async () => {
    try {
      last = { value: await calls.run('credentials', files.join(', '), read) };
    } catch (error) {
      if (!(error instanceof HungCallError)) throw error;
      if (last !== null) return last.value;
      const message = `the credentials files cannot be read: check that their mounts answer (${error.message})`;
      throw new CredentialsError(type, message, error);
    }
    return last.value;
  };
}

/** Reads one regular file as UTF-8. @throws CredentialsError with the path */
export function readText(type: FailureType, file: string): Promise<string> {
  return readRegularFile(file, 'utf8').catch((error: unknown) => {
    const message = `the credentials file ${file} cannot be read: check its path and permissions (${messageOf(error)})`;
    throw new CredentialsError(type, message, error);
  });
}
