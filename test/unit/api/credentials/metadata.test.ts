import { expect, it, onTestFinished } from 'vitest';
import { cvmRoleFetch } from '../../../../src/api/credentials/metadata.ts';
import { startStubService } from '../../../helpers/stub-service.ts';

const nowMs = 1_700_000_000_000;
const path = '/latest/meta-data/cam/security-credentials/';
const answer = {
  Code: 'Success',
  TmpSecretId: 'temporary-id',
  TmpSecretKey: 'temporary-key',
  Token: 'temporary-token',
  ExpiredTime: nowMs / 1_000 + 3_600,
};

/** Fetches from a service that names the role, and gives these credentials. */
async function arrange(credentials: object, role?: string) {
  const service = await startStubService((request, response) => {
    response.end(request.path === path ? 'machine\n' : JSON.stringify(credentials));
  });
  onTestFinished(service.close);
  const options = { endpoint: service.url, timeoutMs: 1_000 };
  const fetch = cvmRoleFetch(() => options, role, { now: () => nowMs });
  return { service, fetched: fetch(new AbortController().signal) };
}

it('the role that is bound to the machine gives its credentials', async () => {
  const { service, fetched } = await arrange(answer);

  expect(await fetched).toEqual({
    credentials: {
      secretId: 'temporary-id',
      secretKey: 'temporary-key',
      token: 'temporary-token',
    },
    expiresAtMs: nowMs + 3_600_000,
  });
  expect(service.requests.map((request) => request.path)).toEqual([path, `${path}machine`]);
});

it('a role that is configured is not asked for', async () => {
  const { service, fetched } = await arrange(answer, 'named');

  await fetched;

  expect(service.requests.map((request) => request.path)).toEqual([`${path}named`]);
});

it.each([
  ['another code', { ...answer, Code: 'Failed' }, 'does not have the credentials of machine'],
  ['no token', { ...answer, Token: undefined }, 'does not have the credentials'],
  ['an empty key', { ...answer, TmpSecretKey: '' }, 'is empty'],
  ['a key with a space', { ...answer, TmpSecretKey: 'temporary key' }, 'holds spaces'],
  ['an end in the past', { ...answer, ExpiredTime: nowMs / 1_000 }, 'have expired'],
])('an answer with %s is a failure that quotes nothing', async (_what, credentials, message) => {
  const { fetched } = await arrange(credentials);

  const error: unknown = await fetched.catch((caught: unknown) => caught);

  expect(error).toMatchObject({ code: 'Credentials', type: 'cvm_role' });
  expect(String(error)).toContain(message);
  expect(String(error)).not.toContain('temporary');
});

it('the end of the provider ends a request', async () => {
  const service = await startStubService(() => undefined);
  onTestFinished(service.close);
  const closing = new AbortController();
  const options = { endpoint: service.url, timeoutMs: 60_000 };

  const fetched = cvmRoleFetch(() => options, undefined, { now: () => nowMs })(closing.signal);
  closing.abort();

  await expect(fetched).rejects.toMatchObject({ code: 'Credentials' });
});
