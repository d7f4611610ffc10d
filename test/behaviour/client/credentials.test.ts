/** Where the keys of an account come from, as the clients of a configuration use them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  keys,
  podWith,
  roleArn,
  session,
  startClients,
  type Answer,
} from '../../support/clients.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { HangingCalls } from '../../support/hanging-calls.ts';
import type { StubRequest } from '../../support/stub-service.ts';

const path = '/latest/meta-data/cam/security-credentials/';
const fields = {
  Code: 'Success',
  TmpSecretId: 'temporary-id',
  TmpSecretKey: 'temporary-key',
  Token: 'temporary-token',
  ExpiredTime: Math.floor(Date.now() / 1_000) + 3_600,
};
const metadata =
  (credentials: object): Answer =>
  (request, response) => {
    response.end(request.path === path ? 'machine\n' : JSON.stringify(credentials));
  };

const roleOf = (source: object) => ({ type: 'assume_role', role_arn: roleArn, source });
const atHome = '[default]\nsecret_id = id-of-profile\nsecret_key = key\n';

it.each<[signer: string, type: string, credentials: object, has: 'keys' | 'home' | 'pod' | 'none']>(
  [
    ['an-id', 'environment', { type: 'environment' }, 'keys'],
    ['id-of-file', 'files', { type: 'files' }, 'none'],
    ['id-of-profile', 'profile', { type: 'profile' }, 'home'],
    ['id-of-machine', 'cvm_role', { type: 'cvm_role' }, 'none'],
    ['temporary-id', 'tke_oidc', { type: 'tke_oidc' }, 'pod'],
    ['temporary-id', 'assume_role by a machine', roleOf({ type: 'cvm_role' }), 'none'],
    ['temporary-id', 'assume_role by a pod', roleOf({ type: 'tke_oidc' }), 'pod'],
    ['an-id', 'default with keys', { type: 'default' }, 'keys'],
    ['id-of-profile', 'default with a profile', { type: 'default' }, 'home'],
    ['temporary-id', 'default in a pod', { type: 'default' }, 'pod'],
    ['id-of-machine', 'default on a machine', { type: 'default' }, 'none'],
  ],
)('%s signs the requests of credentials of the type %s', async (signer, _type, given, has) => {
  const HOME = await temporaryDirectory();
  await mkdir(join(HOME, '.tencentcloud'));
  if (has === 'home') await writeFile(join(HOME, '.tencentcloud', 'credentials'), atHome);
  const [secret_id_file, secret_key_file] = [join(HOME, 'id'), join(HOME, 'key')];
  await writeFile(secret_id_file, 'id-of-file\n');
  await writeFile(secret_key_file, 'key\n');
  const own = has === 'keys' ? keys : has === 'pod' ? (await podWith('a-token')).env : {};
  const ofMachine = metadata({ ...fields, TmpSecretId: 'id-of-machine' });
  const { poll, service } = await startClients(
    {
      a:
        'type' in given && given.type === 'files'
          ? { ...given, secret_id_file, secret_key_file }
          : given,
    },
    {
      env: { HOME, ...own },
      answer: (request, response) => {
        if (request.path.startsWith(path)) ofMachine(request, response);
        else session(response);
      },
    },
  );

  await poll('a');

  const { authorization } = service.requests.at(-1)!.headers;
  expect(authorization).toContain(`Credential=${signer}/`);
});

it('the role of a machine is asked for by its name, or by that of the configuration', async () => {
  const { actions, poll } = await startClients(
    { a: { type: 'cvm_role' }, b: { type: 'cvm_role', role: 'named' } },
    { answer: metadata(fields) },
  );

  await poll('a');
  await poll('b');

  const asked = actions().filter((action) => action.startsWith(path));
  expect(asked).toEqual([path, `${path}machine`, `${path}named`]);
});

it.each([
  ['another code', { ...fields, Code: 'Failed' }, 'credentials of the role that it named'],
  ['no token', { ...fields, Token: undefined }, 'does not have the credentials'],
  ['an empty key', { ...fields, TmpSecretKey: '' }, 'is empty'],
  ['a key with a space', { ...fields, TmpSecretKey: 'temporary key' }, 'holds spaces'],
  ['an end in the past', { ...fields, ExpiredTime: 1 }, 'have expired'],
])(
  'the role of a machine in an answer with %s is a failure that quotes nothing',
  async (_what, given, message) => {
    const { poll } = await startClients({ a: { type: 'cvm_role' } }, { answer: metadata(given) });

    const error: unknown = await poll('a').catch((caught: unknown) => caught);

    expect(error).toMatchObject({ code: 'Credentials', type: 'cvm_role' });
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain('temporary');
  },
);

it.each([
  ['is read at each fetch', false, 'second-token'],
  ['is the last one that was read while its file hangs', true, 'first-token'],
])('the token of a pod %s', async (_what, hangs, second) => {
  const { file, env } = await podWith('first-token\n');
  const fileCalls = new HangingCalls({ timeoutMs: 100 });
  const tokens: unknown[] = [];
  const tokenOf = ({ body }: StubRequest) =>
    (JSON.parse(body.toString()) as { WebIdentityToken: unknown }).WebIdentityToken;
  const { poll } = await startClients(
    { a: { type: 'tke_oidc' } },
    {
      env,
      fileCalls,
      answer: (request, response) => {
        tokens.push(tokenOf(request));
        session(response, 1_200);
      },
    },
  );
  await poll('a');
  await writeFile(file, 'second-token');
  if (hangs) fileCalls.hang();

  // The first set ends after little more than a second.
  await expect.poll(() => poll('a').then(() => tokens)).toEqual(['first-token', second]);
});
