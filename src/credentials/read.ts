/** Credentials that are read: from environment variables, from files, and from a profile. */
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HungCallError, type BoundedCalls } from '../bounded-calls.ts';
import type { Clock } from '../model/clock.ts';
import { codeOf, messageOf } from '../model/errors.ts';
import type { Credentials, CredentialsProvider } from '../api/credentials.ts';
import { checkedSecret, CredentialsError, readCredentials, type FailureType } from './provider.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The names of the environment variables that the service's own tools read. */
export const usualNames = {
  secretId: 'TENCENTCLOUD_SECRET_ID',
  secretKey: 'TENCENTCLOUD_SECRET_KEY',
  /** The name depends on the tool (docs/service.md, section 12). The first variable that is set counts. */
  tokens: ['TENCENTCLOUD_TOKEN', 'TENCENTCLOUD_SESSION_TOKEN', 'TENCENTCLOUD_SECURITY_TOKEN'],
} as const;

/** Whether one of the variables is set. */
export function isSet(env: Environment, ...names: readonly string[]): boolean {
  return names.some((name) => (env[name] ?? '').trim() !== '');
}

/** Names of variables. An absent name defaults to the name that the service's own tools use. */
export interface EnvironmentNames {
  readonly secretId?: string | undefined;
  readonly secretKey?: string | undefined;
  /**
   * A variable that is named here must be set. Without a name, the token comes from the usual variables, but
   * only together with the usual SecretId and SecretKey: it belongs to no other key.
   */
  readonly token?: string | undefined;
}

/** Credentials from environment variables, which are read at every use. */
export function environmentCredentials(
  env: Environment,
  names: EnvironmentNames,
): CredentialsProvider {
  const { secretId = usualNames.secretId, secretKey = usualNames.secretKey } = names;
  const variable = (name: string) => {
    const value = env[name];
    if (value === undefined) {
      const message = `the environment variable ${name} is not set: set it where the program starts`;
      throw new CredentialsError('environment', message);
    }
    return checkedSecret('environment', value.trim(), `the environment variable ${name}`);
  };
  const tokenName = () => {
    const isUsual = secretId === usualNames.secretId && secretKey === usualNames.secretKey;
    return (
      names.token ?? (isUsual ? usualNames.tokens.find((name) => isSet(env, name)) : undefined)
    );
  };
  return readCredentials(() => {
    const token = tokenName();
    return {
      secretId: variable(secretId),
      secretKey: variable(secretKey),
      token: token === undefined ? null : variable(token),
    };
  });
}

export interface FileTools {
  readonly clock: Clock;
  readonly calls: BoundedCalls;
}

export interface CredentialFiles {
  readonly secretIdFile: string;
  readonly secretKeyFile: string;
  readonly tokenFile?: string | undefined;
}

/** Credentials from files, one value in each file, as in a mounted secret. */
export function fileCredentials(
  { secretIdFile, secretKeyFile, tokenFile }: CredentialFiles,
  tools: FileTools,
): CredentialsProvider {
  const readSecret = async (file: string) =>
    checkedSecret('files', (await textOf('files', file)).trim(), `the credentials file ${file}`);
  const read = async () => ({
    secretId: await readSecret(secretIdFile),
    secretKey: await readSecret(secretKeyFile),
    token: tokenFile === undefined ? null : await readSecret(tokenFile),
  });
  return rereadCredentials(
    'files',
    [secretIdFile, secretKeyFile, tokenFile ?? []].flat(),
    read,
    tools,
  );
}

/** Long enough, so that the requests of a cycle share a reading. Short enough to notice a rotation soon. */
const rereadAfterMs = 1_000;

/**
 * Credentials from files. They are read at most once a second. They are not watched: mounted secrets are
 * replaced through links, and a watch does not see that. A reading from the moment of a replacement may mix two
 * keys: the service refuses it, and the files are read again. While a mount hangs, or those of two other
 * accounts, the last values that were read are used.
 *
 * @param read reads the files one after the other: a call has one place, so it may take one thread
 */
function rereadCredentials(
  type: FailureType,
  files: readonly string[],
  read: () => Promise<Credentials>,
  { clock, calls }: FileTools,
): CredentialsProvider {
  let reading: { readonly atMs: number; readonly result: Promise<Credentials> } | null = null;
  const readInTime = lastUnlessHung(type, files.join(', '), read, calls);
  return readCredentials(
    () => {
      if (reading === null || Math.abs(clock.now() - reading.atMs) >= rereadAfterMs) {
        reading = { atMs: clock.now(), result: readInTime() };
      }
      return reading.result;
    },
    () => {
      reading = null;
    },
  );
}

/** Reads in a bounded time. While the file hangs, gives what was read last: the service refuses it if it has ended. */
export function lastUnlessHung<T>(
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

/** @throws CredentialsError */
export async function textOf(type: FailureType, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const message = `the credentials file ${file} cannot be read: check its path and permissions (${messageOf(error)})`;
    throw new CredentialsError(type, message, error);
  }
}

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
    if (await calls.run('credentials', file, () => isThere(file)).catch(() => true)) return true;
  }
  return false;
}

/** Users of services have a home such as `/dev/null`, which is no directory. */
async function isThere(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
  }
}

/**
 * Credentials from a section of an INI file: `secret_id`, `secret_key` and perhaps `token`.
 *
 * @param files the first that exists counts
 */
export function profileCredentials(
  profile: string,
  files: readonly string[],
  tools: FileTools,
): CredentialsProvider {
  const read = async () => {
    for (const file of files) {
      if (!(await isThere(file))) continue;
      const source = `the profile ${profile} of the file ${file}`;
      return fromSection(sectionOf(await textOf('profile', file), profile, source), source);
    }
    const message = `there is no credentials file: create ${files.join(' or ')}`;
    throw new CredentialsError('profile', message);
  };
  return rereadCredentials('profile', files, read, tools);
}

/** The entries of a section. Lines with a `[` that are not only `[NAME]` are refused: what follows them is another account's. */
function sectionOf(text: string, profile: string, source: string): ReadonlyMap<string, string> {
  const refuse = (problem: string) => new CredentialsError('profile', `${source} ${problem}`);
  const entries = new Map<string, string>();
  let times = 0;
  let isInside = false;
  // Editors of some systems begin a file with a byte order mark.
  for (const line of text.replace(/^\uFEFF/, '').split(/[\r\n]+/)) {
    const content = line.trim();
    if (content.startsWith('[')) {
      const name = /^\[([^\]]*)\]$/.exec(content)?.[1]?.trim();
      if (name === undefined && isInside) {
        throw refuse(
          'is followed by a line that is not only [NAME]: put comments on their own lines',
        );
      }
      isInside = name === profile;
      if (isInside) times += 1;
    } else if (isInside && !/^[;#]/.test(content)) {
      const [, key = '', value = ''] = /^([^=]*?)\s*=\s*(.*)$/.exec(content) ?? [];
      entries.set(key, value.replace(/^(["'])(.*)\1$/, '$2'));
    }
  }
  if (times === 0) throw refuse('does not exist: add the section, or name another');
  // The token of one could go with the key of the other.
  if (times > 1) throw refuse(`is there ${times} times: remove all sections but one`);
  return entries;
}

function fromSection(entries: ReadonlyMap<string, string>, source: string): Credentials {
  const value = (key: string): string | null => {
    const given = entries.get(key) ?? '';
    return given === '' ? null : checkedSecret('profile', given, `${key} in ${source}`);
  };
  const secretId = value('secret_id');
  const secretKey = value('secret_key');
  if (secretId === null || secretKey === null) {
    throw new CredentialsError('profile', `${source} needs secret_id and secret_key`);
  }
  return { secretId, secretKey, token: value('token') };
}
