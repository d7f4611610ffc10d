import { readFile } from 'node:fs/promises';
import { fileCalls, HungCallError } from '../../files/bounded-calls.ts';
import type { Clock } from '../../model/clock.ts';
import {
  checkedSecret,
  credentialsError,
  type Credentials,
  type CredentialsProvider,
} from './credentials.ts';

export interface CredentialFiles {
  readonly secretIdFile: string;
  readonly secretKeyFile: string;
  readonly tokenFile?: string | undefined;
}

/** Long enough, so that the requests of a cycle share a reading. Short enough to notice a rotation soon. */
const rereadAfterMs = 1000;

/**
 * Credentials from files, one value in each file, as in a mounted secret. The files are read at most once a
 * second. They are not watched: mounted secrets are replaced through links, and a watch does not see that.
 * While a mount hangs, also the mount of another account, the last values that were read are used. The
 * service refuses them if they are outdated.
 */
export function fileCredentials(
  files: CredentialFiles,
  clock: Clock,
  calls = fileCalls,
): CredentialsProvider {
  let last: Credentials | null = null;
  const read = async (): Promise<Credentials> => {
    try {
      last = await calls.run('credentials', namesOf(files), () => readAll(files));
      return last;
    } catch (error) {
      if (!(error instanceof HungCallError)) throw error;
      if (last !== null) return last;
      throw credentialsError(
        `the credentials files cannot be read: check that their mounts answer (${error.message})`,
        error,
      );
    }
  };
  let reading: { readonly atMs: number; readonly result: Promise<Credentials> } | null = null;
  return {
    get: () => {
      const ageMs = reading === null ? Infinity : Math.abs(clock.now() - reading.atMs);
      if (reading === null || ageMs >= rereadAfterMs) {
        reading = { atMs: clock.now(), result: read() };
      }
      return reading.result;
    },
    refresh: () => {
      reading = null;
    },
  };
}

function namesOf({ secretIdFile, secretKeyFile, tokenFile = '' }: CredentialFiles): string {
  return [secretIdFile, secretKeyFile, tokenFile].filter((name) => name !== '').join(', ');
}

/** One after the other: a call has one place, so it may take one thread. */
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
    const reason = error instanceof Error ? error.message : String(error);
    throw credentialsError(
      `the credentials file ${file} cannot be read: check its path and permissions (${reason})`,
      error,
    );
  }
  return checkedSecret(text.trim(), `the credentials file ${file}`);
}
