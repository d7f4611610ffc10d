/** Reads credentials from files: the type `files`, and what others that read files share with it. */
import { z } from 'zod';
import type { Credentials, CredentialsProvider } from '../api/credentials.ts';
import { HungCallError, type BoundedCalls } from '../bounded-calls.ts';
import { messageOf } from '../model/errors.ts';
import { readRegularFile } from '../validation/regular-file.ts';
import { filePath } from '../validation/text-schemas.ts';
import type { CredentialsTools } from './credentials-type.ts';
import { checkedSecret, CredentialsError, readCredentials, type FailureType } from './provider.ts';

export type FileTools = Pick<CredentialsTools, 'clock' | 'fileCalls'>;

/** The keys in the configuration. */
export const fileKeys = z.object({
  secret_id_file: filePath.describe('The path of the file with the SecretId.'),
  secret_key_file: filePath.describe('The path of the file with the SecretKey.'),
  token_file: filePath.describe('The path of the file with the session token.').optional(),
});

/** The provider of credentials with one value in each file, as in a mounted secret. */
export function fileCredentials(
  keys: z.output<typeof fileKeys>,
  tools: FileTools,
): CredentialsProvider {
  const { secret_id_file: idFile, secret_key_file: keyFile, token_file: tokenFile } = keys;
  const readSecret = async (file: string) =>
    checkedSecret('files', (await textOf('files', file)).trim(), `the credentials file ${file}`);
  const read = async () => ({
    secretId: await readSecret(idFile),
    secretKey: await readSecret(keyFile),
    token: tokenFile === undefined ? null : await readSecret(tokenFile),
  });
  const files = [idFile, keyFile, tokenFile ?? []].flat();
  return rereadCredentials('files', files, read, tools);
}

/** Long enough, so that the requests of a cycle share a reading. Short enough to notice a rotation soon. */
const rereadAfterMs = 1_000;

/**
 * A provider that reads files at most once a second. It does not watch them: mounted secrets are replaced through
 * links, which a watch does not see. A reading from the moment of a replacement may mix two keys: the service refuses
 * it, and the files are read again. While a mount hangs, or while the mounts of two other accounts hang, it gives the
 * values that it read last.
 *
 * @param read reads the files one after the other, because it may take one thread only
 */
export function rereadCredentials(
  type: FailureType,
  files: readonly string[],
  read: () => Promise<Credentials>,
  { clock, fileCalls }: FileTools,
): CredentialsProvider {
  let reading: { readonly atMs: number; readonly result: Promise<Credentials> } | null = null;
  const readValues = readOrLast(type, files.join(', '), read, fileCalls);
  return readCredentials(
    () => {
      if (reading === null || Math.abs(clock.now() - reading.atMs) >= rereadAfterMs) {
        reading = { atMs: clock.now(), result: readValues() };
      }
      return reading.result;
    },
    () => {
      reading = null;
    },
  );
}

/**
 * Reads in a bounded time. While the file hangs, it gives what it read last: the service refuses that if it has ended.
 *
 * @returns a function that rejects with a CredentialsError if nothing was read before, and with each error of `read`
 */
export function readOrLast<T>(
  type: FailureType,
  path: string,
  read: () => Promise<T>,
  calls: BoundedCalls,
): () => Promise<T> {
  let last: { readonly value: T } | null = null;
  return async () => {
    try {
      last = { value: await calls.run('credentials', path, read) };
    } catch (error) {
      if (!(error instanceof HungCallError)) throw error;
      if (last !== null) return last.value;
      const message = `the credentials files cannot be read: check that their mounts answer (${error.message})`;
      throw new CredentialsError(type, message, error);
    }
    return last.value;
  };
}

/** Reads one regular file. @throws CredentialsError with the path */
export async function textOf(type: FailureType, file: string): Promise<string> {
  try {
    return await readRegularFile(file, 'utf8');
  } catch (error) {
    const message = `the credentials file ${file} cannot be read: check its path and permissions (${messageOf(error)})`;
    throw new CredentialsError(type, message, error);
  }
}
