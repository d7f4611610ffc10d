import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'ini';
import { fileCalls } from '../../files/bounded-calls.ts';
import type { Clock } from '../../model/clock.ts';
import { codeOf } from '../../model/errors.ts';
import {
  checkedSecret,
  CredentialsError,
  type Credentials,
  type CredentialsProvider,
} from './credentials.ts';
import { rereadCredentials, unreadable, type RereadOptions } from './reread.ts';

export interface ProfileOptions {
  /** The section of the file. */
  readonly profile: string;
  /** The files in the order of their use: the first that exists counts. */
  readonly files: readonly string[];
  readonly clock: Clock;
  readonly calls?: RereadOptions['calls'];
}

/** The files of the service's own tools (docs/service.md, section 12). */
export function usualProfileFiles(home: string | undefined): readonly string[] {
  const system = '/etc/tencentcloud/credentials';
  return home === undefined ? [system] : [join(home, '.tencentcloud', 'credentials'), system];
}

/** Whether one of the files exists. A file that hangs, or may not be looked at, exists. */
export async function profileExists(files: readonly string[], calls = fileCalls): Promise<boolean> {
  for (const file of files) {
    try {
      await calls.run('credentials', file, () => access(file));
      return true;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') return true;
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
      if (codeOf(error) !== 'ENOENT') throw unreadable('profile', file, error);
    }
  }
  const message = `there is no credentials file: create ${files.join(' or ')}`;
  throw new CredentialsError('profile', message);
}

function fromText(text: string, source: string, profile: string): Credentials {
  const section: unknown = parse(text)[profile];
  if (typeof section !== 'object' || section === null) {
    throw new CredentialsError(
      'profile',
      `${source} does not exist: add the section, or name another`,
    );
  }
  const entries = new Map<string, unknown>(Object.entries(section));
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
