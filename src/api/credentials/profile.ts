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
  /** Reads the text of a file: {@link profileSections}. */
  readonly sectionsOf: (text: string) => Sections;
  readonly clock: Clock;
  readonly calls: BoundedCalls;
}

interface Section {
  readonly entries: ReadonlyMap<string, unknown>;
  /** How often the file has a section of this name. */
  readonly times: number;
}

type Sections = ReadonlyMap<string, Section>;

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
  sectionsOf,
  clock,
  calls,
}: ProfileOptions): CredentialsProvider {
  const read = async () => {
    const { file, text } = await firstOf(files);
    return fromSection(sectionsOf(text).get(profile), `the profile ${profile} of the file ${file}`);
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

/** The sections of a file, by name. One file may have the sections of thousands of accounts. */
export function profileSections(text: string): Sections {
  const plain = text.replace(byteOrderMark, '');
  const times = new Map<string, number>();
  for (const line of plain.split(/[\r\n]+/)) {
    const name = /^\s*\[([^\]]*)\]\s*$/.exec(line)?.[1]?.trim();
    if (name !== undefined) times.set(name, (times.get(name) ?? 0) + 1);
  }
  const sections = new Map<string, Section>();
  for (const [name, section] of Object.entries<unknown>(parse(plain))) {
    if (typeof section !== 'object' || section === null) continue;
    sections.set(name, { entries: new Map(Object.entries(section)), times: times.get(name) ?? 0 });
  }
  return sections;
}

function fromSection(section: Section | undefined, source: string): Credentials {
  if (section === undefined) {
    throw new CredentialsError(
      'profile',
      `${source} does not exist: add the section, or name another`,
    );
  }
  const { entries, times } = section;
  // The parser adds what follows such a line to the section before it: the key of another account.
  if ([...entries.keys()].some((key) => key.startsWith('['))) {
    const message = `${source} is followed by a line that is not only [NAME]: put comments on their own lines`;
    throw new CredentialsError('profile', message);
  }
  // The parser merges them: the token of one could go with the key of the other.
  if (times > 1) {
    const message = `${source} is there ${times} times: remove all sections but one`;
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
