import { readFile } from 'node:fs/promises';
import type { BoundedCalls } from '../../files/bounded-calls.ts';
import type { Clock } from '../../model/clock.ts';
import { checkedSecret, type Credentials, type CredentialsProvider } from './credentials.ts';
import { rereadCredentials, unreadable } from './reread.ts';

export interface CredentialFiles {
  readonly secretIdFile: string;
  readonly secretKeyFile: string;
  readonly tokenFile?: string | undefined;
}

/** Credentials from files, one value in each file, as in a mounted secret. */
export function fileCredentials(
  files: CredentialFiles,
  clock: Clock,
  calls: BoundedCalls,
): CredentialsProvider {
  const { secretIdFile, secretKeyFile, tokenFile = '' } = files;
  const path = [secretIdFile, secretKeyFile, tokenFile].filter((name) => name !== '').join(', ');
  return rereadCredentials({ type: 'files', path, read: () => readAll(files), clock, calls });
}

async function readAll(files: CredentialFiles): Promise<Credentials> {
  const secretId = await readSecret(files.secretIdFile);
  const secretKey = await readSecret(files.secretKeyFile);
  const token = files.tokenFile === undefined ? null : await readSecret(files.tokenFile);
  return { secretId, secretKey, token };
}

async function readSecret(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw unreadable('files', file, error);
  }
  return checkedSecret('files', text.trim(), `the credentials file ${file}`);
}
