/** Reads credentials again and again from files that may change, and from mounts that may hang. */
import { HungCallError, type BoundedCalls } from '../../files/bounded-calls.ts';
import type { Clock } from '../../model/clock.ts';
import { messageOf } from '../../model/errors.ts';
import {
  CredentialsError,
  isSame,
  readCredentials,
  type Credentials,
  type CredentialsProvider,
  type CredentialsType,
} from './credentials.ts';

/** Long enough, so that the requests of a cycle share a reading. Short enough to notice a rotation soon. */
const rereadAfterMs = 1000;

/** How often files that are being replaced are read. */
const maxReadings = 4;

export interface RereadOptions {
  readonly type: CredentialsType;
  /** Names the files in messages. */
  readonly path: string;
  /** Reads the files one after the other: a call has one place, so it may take one thread. */
  readonly read: () => Promise<Credentials>;
  readonly clock: Clock;
  readonly calls: BoundedCalls;
}

/**
 * Credentials from files. They are read at most once a second. They are not watched: mounted secrets are
 * replaced through links, and a watch does not see that. While a mount hangs, or those of two other accounts,
 * the last values that were read are used. The service refuses them if they are outdated.
 */
export function rereadCredentials(options: RereadOptions): CredentialsProvider {
  const { type, path, clock, calls } = options;
  let last: Credentials | null = null;
  const read = async (): Promise<Credentials> => {
    try {
      last = await calls.run('credentials', path, () => readWhole(options));
      return last;
    } catch (error) {
      if (!(error instanceof HungCallError)) throw error;
      if (last !== null) return last;
      const message = `the credentials files cannot be read: check that their mounts answer (${error.message})`;
      throw new CredentialsError(type, message, error);
    }
  };
  let reading: { readonly atMs: number; readonly result: Promise<Credentials> } | null = null;
  return readCredentials(
    () => {
      const ageMs = reading === null ? Infinity : Math.abs(clock.now() - reading.atMs);
      if (reading === null || ageMs >= rereadAfterMs) {
        reading = { atMs: clock.now(), result: read() };
      }
      return reading.result;
    },
    () => {
      reading = null;
    },
  );
}

/**
 * Reads until two readings are the same. A mounted secret is replaced in one step. Without the second
 * reading, a SecretId from before it could go with a SecretKey from after it.
 */
async function readWhole({ type, path, read }: RereadOptions): Promise<Credentials> {
  let before = await read();
  for (let readings = 2; readings <= maxReadings; readings += 1) {
    const again = await read();
    if (isSame(before, again)) return again;
    before = again;
  }
  throw new CredentialsError(
    type,
    `${path}: the files change all the time: replace them in one step`,
  );
}

/** The failure to read a file. */
export function unreadable(type: CredentialsType, file: string, error: unknown): CredentialsError {
  return new CredentialsError(
    type,
    `the credentials file ${file} cannot be read: check its path and permissions (${messageOf(error)})`,
    error,
  );
}
