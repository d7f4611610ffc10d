import { readFile } from 'node:fs/promises';
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

/** Maximum time to read the files. Without it, files on a hanging mount would delay every cycle. */
const readTimeoutMs = 2_000;

/**
 * Credentials from files, one value in each file, as in a mounted secret. The files are read at most once a
 * second. They are not watched: mounted secrets are replaced through links, and a watch does not see that.
 */
export function fileCredentials(files: CredentialFiles, clock: Clock): CredentialsProvider {
  let reading: { readonly atMs: number; readonly result: Promise<Credentials> } | null = null;
  /** A call that hangs blocks its thread, and Node.js has four. So no further call starts until it ends. */
  let underWay: Promise<Credentials> | null = null;
  const read = () => {
    underWay ??= readAll(files).finally(() => {
      underWay = null;
    });
    return inTime(underWay);
  };
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

/** @throws CodedError `Credentials` when there is no result within 2 s */
function inTime(result: Promise<Credentials>): Promise<Credentials> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const seconds = readTimeoutMs / 1_000;
      reject(
        credentialsError(`the credentials files cannot be read: no answer within ${seconds} s`),
      );
    }, readTimeoutMs);
    void result.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}

async function readAll(files: CredentialFiles): Promise<Credentials> {
  const [secretId, secretKey, token] = await Promise.all([
    readSecret(files.secretIdFile),
    readSecret(files.secretKeyFile),
    files.tokenFile === undefined ? null : readSecret(files.tokenFile),
  ]);
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
