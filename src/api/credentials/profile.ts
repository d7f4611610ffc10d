import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'ini';
import type { BoundedCalls } from '../../files/bounded-calls.ts';
import type { Clock } from '../../model/clock.ts';
import { codeOf } from '../../model/errors.ts';
import {
  checkedSecret,
  CredentialsError,
  type Credentials,
  type CredentialsProvider,
} from './credentials.ts';
import { rereadCredentials, unreadable } from './reread.ts';

export interface ProfileOptions {
  /** The section of the file. */
  readonly profile: string;
  /** The files in the order of their use: the first that exists counts. */
  readonly files: readonly string[];
  readonly clock: Clock;
  readonly calls: BoundedCalls;
}

/** The files of the service's own tools (docs/service.md, section 12). */
export function usualProfileFiles(home: string | undefined): readonly string[] {
  const system = '/etc/tencentcloud/credentials';
  const hasHome = home !== undefined && home !== '';
  return hasHome ? [join(home, '.tencentcloud', 'credentials'), system] : [system];
}

/** Users of services have a home such as `/dev/null`, which is no directory. */
function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
}

/** Whether one of the files exists. A file that hangs, or may not be looked at, exists. */
export async function profileExists(
  files: readonly string[],
  calls: BoundedCalls,
): Promise<boolean> {
  for (const file of files) {
    try {
      await calls.run('credentials', file, () => access(file));
      return true;
    } catch (error) {
      if (!isAbsence(error)) return true;
    }
  }
  return false;
}

/** Credentials from a section of an INI file: `secret_id`, `secret_key` and perhaps `token`. */
export function profileCredentials({
  profile,
  files,
  clock,
  calls,
}: ProfileOptions): CredentialsProvider {
  const read = async () => {
    const { file, text } = await firstOf(files);
    return fromText(text, `the profile ${profile} of the file ${file}`, profile);
  };
  return rereadCredentials({ type: 'profile', path: files.join(', '), read, clock, calls });
}

async function firstOf(files: readonly string[]): Promise<{ file: string; text: string }> {
  for (const file of files) {
    try {
      return { file, text: await readFile(file, 'utf8') };
    } catch (error) {
      if (!isAbsence(error)) throw unreadable('profile', file, error);
    }
  }
  const message = `there is no credentials file: create ${files.join(' or ')}`;
  throw new CredentialsError('profile', message);
}

/** Editors of some systems begin a file with a byte order mark. */
const byteOrderMark = /^\uFEFF/;

function fromText(text: string, source: string, profile: string): Credentials {
  const plain = text.replace(byteOrderMark, '');
  const section: unknown = parse(plain)[profile];
  if (typeof section !== 'object' || section === null) {
    throw new CredentialsError(
      'profile',
      `${source} does not exist: add the section, or name another`,
    );
  }
  const entries = new Map<string, unknown>(Object.entries(section));
  // The parser adds what follows such a line to the section before it: the key of another account.
  if ([...entries.keys()].some((key) => key.startsWith('['))) {
    const message = `${source} is followed by a line that is not only [NAME]: put comments on their own lines`;
    throw new CredentialsError('profile', message);
  }
  // The parser merges them: the token of one could go with the key of the other.
  const headers = plain.split(/[\r\n]+/).filter((line) => isHeaderOf(line, profile));
  if (headers.length > 1) {
    const message = `${source} is there ${headers.length} times: remove all sections but one`;
    throw new CredentialsError('profile', message);
  }
  const value = (key: string): string | null => {
    const given = entries.get(key);
    return typeof given === 'string' && given !== ''
      ? checkedSecret('profile', given, `${key} in ${source}`)
      : null;
  };
  const secretId = value('secret_id');
  const secretKey = value('secret_key');
  if (secretId === null || secretKey === null) {
    throw new CredentialsError('profile', `${source} needs secret_id and secret_key`);
  }
  return { secretId, secretKey, token: value('token') };
}

function isHeaderOf(line: string, profile: string): boolean {
  const [, name] = /^\s*\[([^\]]*)\]\s*$/.exec(line) ?? [];
  return name?.trim() === profile;
}
