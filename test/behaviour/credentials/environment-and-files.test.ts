import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { environmentCredentials } from '../../../src/credentials/environment.ts';
import { fileCredentials } from '../../../src/credentials/files.ts';
import { BoundedCalls, type CallKind } from '../../../src/bounded-calls.ts';
import { namedPipe } from '../../support/named-pipe.ts';

const credentialsFailure = (...words: string[]) => ({
  code: 'Credentials',
  message: expect.stringMatching(new RegExp(words.join('.*'))) as unknown,
});

const env = { TENCENTCLOUD_SECRET_ID: 'id', TENCENTCLOUD_SECRET_KEY: 'key' };

it.each(['TENCENTCLOUD_TOKEN', 'TENCENTCLOUD_SESSION_TOKEN', 'TENCENTCLOUD_SECURITY_TOKEN'])(
  'credentials from the environment take a token from %s',
  async (name) => {
    const provider = environmentCredentials(
      { TENCENTCLOUD_TOKEN: '', ...env, [name]: 'token' },
      {},
    );

    await expect(provider.get()).resolves.toMatchObject({ token: 'token' });
  },
);

it('credentials from the environment are read from the named variables', async () => {
  const provider = environmentCredentials(
    { MY_ID: 'id', MY_KEY: 'key', MY_TOKEN: 'token' },
    { secret_id_env: 'MY_ID', secret_key_env: 'MY_KEY', token_env: 'MY_TOKEN' },
  );

  await expect(provider.get()).resolves.toEqual({
    secretId: 'id',
    secretKey: 'key',
    token: 'token',
  });
});

it.each<[string, Record<string, string | undefined>, string, string]>([
  ['a missing variable', { TENCENTCLOUD_SECRET_KEY: undefined }, 'TENCENTCLOUD_SECRET_KEY', 'set'],
  ['an empty variable', { TENCENTCLOUD_SECRET_ID: ' ' }, 'TENCENTCLOUD_SECRET_ID', 'empty'],
  ['a line break', { TENCENTCLOUD_SECRET_ID: 'a\nb' }, 'TENCENTCLOUD_SECRET_ID', 'line breaks'],
])(
  'credentials from the environment fail for %s, which the message names',
  async (_what, change, ...words) => {
    const provider = environmentCredentials({ ...env, ...change }, {});

    await expect(provider.get()).rejects.toMatchObject(credentialsFailure(...words));
  },
);

it.each([
  [{ secret_id_env: 'MY_ID', secret_key_env: 'MY_KEY' }],
  [{ secret_id_env: 'MY_ID' }],
  [{ secret_key_env: 'MY_KEY' }],
])(
  'credentials from the environment from named variables %j never go with the usual token',
  async (names) => {
    const provider = environmentCredentials(
      { ...env, MY_ID: 'id', MY_KEY: 'key', TENCENTCLOUD_TOKEN: 'of another' },
      names,
    );

    await expect(provider.get()).resolves.toMatchObject({ token: null });
  },
);

it('credentials from the environment go with the usual token when the usual variables are named', async () => {
  const provider = environmentCredentials(
    { ...env, TENCENTCLOUD_TOKEN: 'token' },
    { secret_id_env: 'TENCENTCLOUD_SECRET_ID', secret_key_env: 'TENCENTCLOUD_SECRET_KEY' },
  );

  await expect(provider.get()).resolves.toMatchObject({ token: 'token' });
});

it('credentials from the environment fail for a named token that is missing', async () => {
  const provider = environmentCredentials(env, { token_env: 'MY_TOKEN' });

  await expect(provider.get()).rejects.toMatchObject(credentialsFailure('MY_TOKEN', 'not set'));
});

let folder: string;
let nowMs = 0;
const clock = { now: () => nowMs };
const providerOf = (given: Parameters<typeof fileCredentials>[0], calls = new BoundedCalls()) =>
  fileCredentials(given, { clock, fileCalls: calls });
const file = (name: string) => join(folder, name);
const files = () => ({ secret_id_file: file('id'), secret_key_file: file('key') });

beforeEach(async () => {
  nowMs = 1_700_000_000_000;
  folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  await writeFile(file('id'), 'id\n');
  await writeFile(file('key'), 'key\r\n');
  await writeFile(file('token'), 'token');
});
afterEach(() => rm(folder, { recursive: true }));

it('credentials from files are read without the line break at their end', async () => {
  await expect(providerOf(files()).get()).resolves.toEqual({
    secretId: 'id',
    secretKey: 'key',
    token: null,
  });
});

it('credentials from files are read once for requests at the same time', async () => {
  const provider = providerOf(files());
  const first = await provider.get();
  await rm(file('key'));

  await expect(provider.get()).resolves.toBe(first);
});

it('credentials from files fail while a file hangs, and are read once it does no more', async () => {
  const calls = new HangingCalls({ timeoutMs: 100 });
  const provider = providerOf(files(), calls);

  await expect(provider.get()).rejects.toMatchObject(credentialsFailure('check', file('key')));

  calls.letGo();
  const later = () => {
    nowMs += 1000;
    return provider.get();
  };
  await expect.poll(later).toMatchObject({ secretKey: 'key' });
});

/** Calls that hang until {@link letGo}. */
class HangingCalls extends BoundedCalls {
  letGo: () => void = () => undefined;
  readonly #gate = new Promise<void>((resolve) => {
    this.letGo = resolve;
  });

  override run<T>(kind: CallKind, path: string, work: () => Promise<T>): Promise<T> {
    return super.run(kind, path, () => this.#gate.then(work));
  }
}

it.each<[string, (path: string) => unknown]>([
  ['a named pipe', namedPipe],
  ['a directory', (path) => rm(path).then(() => mkdir(path))],
  ['a device', (path) => rm(path).then(() => symlink('/dev/zero', path))],
])('credentials from files fail at once for %s in place of a file', async (_what, place) => {
  await place(file('key'));

  await expect(providerOf(files()).get()).rejects.toMatchObject(
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

    const error: unknown = await providerOf(files())
      .get()
      .catch((caught: unknown) => caught);

    expect(error).toMatchObject(credentialsFailure(file(name)));
    expect(String(error)).toContain(word);
    expect(String(error)).not.toContain('secretpart');
  },
);
