/** Reads credentials from a section of an INI file: the type `profile`. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials } from '../api/credentials.ts';
import type { BoundedCalls } from '../bounded-calls.ts';
import { codeOf } from '../model/errors.ts';
import type { Environment } from '../api/proxy.ts';
import { filePath, nonSecretText } from '../validation/text-schemas.ts';
import { readOrLast, readText } from './files.ts';
import { checkedSecret, CredentialsError, type FetchCredentials } from './provider.ts';

/** The keys in the configuration. */
export const profileKeys = {
  profile: nonSecretText(/^[\w@+-]{1,64}$/, 'letters, digits and @ + _ -')
    .default('default')
    .describe('The section, with secret_id, secret_key and perhaps token.'),
  file: filePath
    .optional()
    .describe('Default: ~/.tencentcloud/credentials, else /etc/tencentcloud/credentials.'),
};

/** The files of the service's own tools (docs/service.md, section 12). */
export function usualProfileFiles({ HOME: home = '' }: Environment): readonly string[] {
  const system = '/etc/tencentcloud/credentials';
  return home === '' ? [system] : [join(home, '.tencentcloud', 'credentials'), system];
}

/** Whether one of the files exists. A file that hangs, or may not be looked at, exists. */
export async function profileExists(
  files: readonly string[],
  calls: BoundedCalls,
): Promise<boolean> {
  for (const file of files) {
    if (await calls.run('credentials', file, () => exists(file)).catch(() => true)) return true;
  }
  return false;
}

/** `ENOTDIR` counts as absent, too: users of services have a home such as `/dev/null`, which is no directory. */
async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
  }
}

/**
 * Returns a function that reads a section of an INI file: `secret_id`, `secret_key` and perhaps `token`.
 *
 * @param files the first that exists counts
 */
export function profileCredentials(
  profile: string,
  files: readonly string[],
  fileCalls: BoundedCalls,
): FetchCredentials {
  const read = async () => {
    for (const file of files) {
      if (!(await exists(file))) continue;
      const origin = `the profile ${profile} of the file ${file}`;
      return credentialsOf(entriesOf(await readText('profile', file), profile, origin), origin);
    }
    const message = `there is no credentials file: create ${files.join(' or ')}`;
    throw new CredentialsError('profile', message);
  };
  return readOrLast('profile', files, read, fileCalls);
}

/**
 * The entries of a section, by key. Inside the section, a line that begins with `[` and is not only `[NAME]` is refused: it
 * may begin the section of another account.
 *
 * @param origin names the section in messages
 * @throws CredentialsError if there is no such section, or more than one
 */
function entriesOf(text: string, profile: string, origin: string): ReadonlyMap<string, string> {
  const refusal = (problem: string) => new CredentialsError('profile', `${origin} ${problem}`);
  const entries = new Map<string, string>();
  let sections = 0;
  let isInside = false;
  // Editors of some systems begin a file with a byte order mark.
  for (const line of text.replace(/^\uFEFF/, '').split(/[\r\n]+/)) {
    const content = line.trim();
    if (content.startsWith('[')) {
      const name = /^\[([^\]]*)\]$/.exec(content)?.[1]?.trim();
      if (name === undefined && isInside) {
        throw refusal(
          'is followed by a line that is not only [NAME]: put comments on their own lines',
        );
      }
      isInside = name === profile;
      if (isInside) sections += 1;
    } else if (isInside && !/^[;#]/.test(content)) {
      const [, key = '', value = ''] = /^([^=]*?)\s*=\s*(.*)$/.exec(content) ?? [];
      entries.set(key, value.replace(/^(["'])(.*)\1$/, '$2'));
    }
  }
  if (sections === 0) throw refusal('does not exist: add the section, or name another');
  // The token of one could go with the key of the other.
  if (sections > 1) throw refusal(`is there ${sections} times: remove all sections but one`);
  return entries;
}

/** The credentials in the entries of a section. An empty entry counts as absent. @throws CredentialsError */
function credentialsOf(entries: ReadonlyMap<string, string>, origin: string): Credentials {
  const value = (key: string): string | null => {
    const given = entries.get(key) ?? '';
    return given === '' ? null : checkedSecret('profile', given, `${key} in ${origin}`);
  };
  const secretId = value('secret_id');
  const secretKey = value('secret_key');
  if (secretId === null || secretKey === null) {
    throw new CredentialsError('profile', `${origin} needs secret_id and secret_key`);
  }
  return { secretId, secretKey, token: value('token') };
}
