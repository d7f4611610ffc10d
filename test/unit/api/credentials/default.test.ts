import { expect, it } from 'vitest';
import {
  CredentialsError,
  readCredentials,
  type CredentialsProvider,
} from '../../../../src/api/credentials/credentials.ts';
import { DefaultCredentials } from '../../../../src/api/credentials/default.ts';

const giving = (name: string): CredentialsProvider =>
  readCredentials(() => Promise.resolve({ secretId: name, secretKey: name, token: null }));
const failing = readCredentials(() => Promise.reject(new Error('fails')));

const candidate = (provider: CredentialsProvider, state: { exists: boolean }) => ({
  exists: () => Promise.resolve(state.exists),
  provider,
});

it('the first source that exists gives the credentials', async () => {
  const absent = { exists: false };
  const present = { exists: true };
  const provider = new DefaultCredentials(
    [candidate(giving('a'), absent), candidate(giving('b'), present)],
    giving('last'),
  );

  expect(await provider.get()).toMatchObject({ secretId: 'b' });

  absent.exists = true;
  present.exists = false;
  expect(await provider.get()).toMatchObject({ secretId: 'b' });
});

it('a source that exists and fails gives way to no other', async () => {
  const candidates = [candidate(failing, { exists: true })];

  await expect(new DefaultCredentials(candidates, giving('last')).get()).rejects.toThrow('fails');
});

it('the last source is left for one that appears, as long as it has given nothing', async () => {
  const state = { exists: false };
  const provider = new DefaultCredentials([candidate(giving('a'), state)], failing);
  await expect(provider.get()).rejects.toThrow('fails');

  state.exists = true;

  expect(await provider.get()).toMatchObject({ secretId: 'a' });
});

it('the failure of the last source says that there was no other', async () => {
  const last = readCredentials(() => Promise.reject(new CredentialsError('cvm_role', 'no role')));
  const provider = new DefaultCredentials([candidate(giving('a'), { exists: false })], last);

  await expect(provider.get()).rejects.toMatchObject({
    type: 'cvm_role',
    message: 'no credentials in the environment, a profile or a cluster, and no role',
  });
});
