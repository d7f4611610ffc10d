/** Credentials of a machine and of a pod, as the clients of a configuration use them. */
import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { podWith, session, startClients, type Answer } from '../../support/clients.ts';
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
  ['another code', { ...fields, Code: 'Failed' }, 'does not have the credentials of machine'],
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

it('the token of a pod is read at each fetch', async () => {
  const { file, env } = await podWith('first-token\n');
  const tokens: unknown[] = [];
  const tokenOf = ({ body }: StubRequest) =>
    (JSON.parse(body.toString()) as { WebIdentityToken: unknown }).WebIdentityToken;
  const { poll } = await startClients(
    { a: { type: 'tke_oidc' } },
    {
      env,
      answer: (request, response) => {
        tokens.push(tokenOf(request));
        session(response, 1_200);
      },
    },
  );
  await poll('a');
  await writeFile(file, 'second-token');

  // The first set ends after little more than a second.
  await expect.poll(() => poll('a').then(() => tokens)).toEqual(['first-token', 'second-token']);
});
