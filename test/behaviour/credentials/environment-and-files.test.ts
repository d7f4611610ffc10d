import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { environmentCredentials } from '../../../src/credentials/environment.ts';
import { fileCredentials } from '../../../src/credentials/files.ts';
import { BoundedCalls } from '../../../src/bounded-calls.ts';
import { HangingCalls } from '../../support/hanging-calls.ts';
import { namedPipe } from '../../support/named-pipe.ts';
import { rowsOf } from '../../support/rows.ts';

const credentialsFailure = (...words: string[]) => ({
  code: 'Credentials',
  message: expect.stringMatching(new RegExp(words.join('.*'))) as unknown,
});

const env = { TENCENTCLOUD_SECRET_ID: 'id', TENCENTCLOUD_SECRET_KEY: 'key' };

it.each(
  rowsOf<[Record<string, string>, Parameters<typeof environmentCredentials>[1], string[]]>(
    'config',
    'credentials-of-an-environment',
  ),
)(
  'credentials from the environment with %j and the keys %j are %j, never with the token of another key',
  async (variables, keys, [secretId, secretKey, own = null]) => {
    const read = environmentCredentials({ ...env, ...variables }, keys);

    expect(await read()).toEqual({ secretId, secretKey, token: own });
  },
);

it.each<[string, Record<string, string | undefined>, string, string]>([
  ['a missing variable', { TENCENTCLOUD_SECRET_KEY: undefined }, 'TENCENTCLOUD_SECRET_KEY', 'set'],
  ['an empty variable', { TENCENTCLOUD_SECRET_ID: ' ' }, 'TENCENTCLOUD_SECRET_ID', 'empty'],
  ['a line break', { TENCENTCLOUD_SECRET_ID: 'a\nb' }, 'TENCENTCLOUD_SECRET_ID', 'line breaks'],
])(
  'credentials from the environment fail for %s, which the message names',
  async (_what, change, ...words) => {
    const read = environmentCredentials({ ...env, ...change }, {});

    await expect(read()).rejects.toMatchObject(credentialsFailure(...words));
  },
);

it('credentials from the environment fail for a named token that is missing', async () => {
  const read = environmentCredentials(env, { token_env: 'MY_TOKEN' });

  await expect(read()).rejects.toMatchObject(credentialsFailure('MY_TOKEN', 'not set'));
});

let folder: string;
const file = (name: string) => join(folder, name);
const readerOf = (calls = new BoundedCalls()) =>
  fileCredentials({ secret_id_file: file('id'), secret_key_file: file('key') }, calls);
const readFiles = (calls?: BoundedCalls) => readerOf(calls)();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  await writeFile(file('id'), 'id\n');
  await writeFile(file('key'), 'key\r\n');
});
afterEach(() => rm(folder, { recursive: true }));

it('credentials from files are read without the line break at their end', async () => {
  await expect(readFiles()).resolves.toEqual({
    secretId: 'id',
    secretKey: 'key',
    token: null,
  });
});

it('credentials from files fail while a file hangs, and are read once it does no more', async () => {
  const calls = new HangingCalls({ timeoutMs: 100 });
  calls.hang();

  await expect(readFiles(calls)).rejects.toMatchObject(credentialsFailure('check', file('key')));

  calls.letGo();
  await expect.poll(() => readFiles(calls)).toMatchObject({ secretKey: 'key' });
});

it('credentials from files that were read before are kept while a file hangs, and fail when it is deleted', async () => {
  const calls = new HangingCalls({ timeoutMs: 100 });
  const read = readerOf(calls);
  await read();
  calls.hang();
  await writeFile(file('key'), 'new');

  expect(await read()).toMatchObject({ secretKey: 'key' });
  expect(await read()).toMatchObject({ secretKey: 'key' });
  calls.letGo();
  await expect.poll(read).toMatchObject({ secretKey: 'new' });
  await rm(file('key'));
  await expect(read()).rejects.toMatchObject(credentialsFailure(file('key'), 'check its path'));
});

it.each<[string, (path: string) => unknown]>([
  ['a named pipe', namedPipe],
  ['a directory', (path) => rm(path).then(() => mkdir(path))],
  ['a device', (path) => rm(path).then(() => symlink('/dev/zero', path))],
])('credentials from files fail at once for %s in place of a file', async (_what, place) => {
  await place(file('key'));

  await expect(readFiles()).rejects.toMatchObject(
    credentialsFailure(file('key'), 'it is no regular file'),
  );
});

it.each([
  ['is missing', 'key', null, 'check'],
  ['is empty', 'id', '\n', 'empty'],
  ['holds more', 'key', 'secretpart1 secretpart2', 'alone'],
])(
  'credentials from files fail for a file that %s, which the message names and does not quote',
  async (...row) => {
    const [, name, text, word] = row;
    await (text === null ? rm(file(name)) : writeFile(file(name), text));

    const error: unknown = await readFiles().catch((caught: unknown) => caught);

    expect(error).toMatchObject(credentialsFailure(file(name)));
    expect(String(error)).toContain(word);
    expect(String(error)).not.toContain('secretpart');
  },
);
