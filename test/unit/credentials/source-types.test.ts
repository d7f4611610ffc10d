import { expect, it } from 'vitest';
import { firstOf } from '../../../src/credentials/source-types.ts';
import { readCredentials } from '../../../src/credentials/provider.ts';

const fixed = (name: string) =>
  readCredentials(() => Promise.resolve({ secretId: name, secretKey: name, token: null }));
const failing = readCredentials(() => Promise.reject(new Error('fails')));
const candidate = (provider: typeof failing, state: { exists: boolean }) => ({
  exists: () => Promise.resolve(state.exists),
  provider,
});

it('credentials of the type default come from the first source that exists, and stay with it', async () => {
  const absent = { exists: false };
  const present = { exists: true };
  const candidates = [candidate(fixed('a'), absent), candidate(fixed('b'), present)];
  const provider = firstOf(candidates, fixed('last'));

  expect(await provider.get()).toMatchObject({ secretId: 'b' });
  absent.exists = true;
  present.exists = false;

  expect(await provider.get()).toMatchObject({ secretId: 'b' });
});

it('credentials of the type default fail if that source fails, and come from no other', async () => {
  const provider = firstOf([candidate(failing, { exists: true })], fixed('last'));

  await expect(provider.get()).rejects.toThrow('fails');
});

it('credentials of the type default come from a source that appears, as long as the last one has given nothing', async () => {
  const state = { exists: false };
  const provider = firstOf([candidate(fixed('a'), state)], failing);
  await expect(provider.get()).rejects.toThrow('fails');

  state.exists = true;

  expect(await provider.get()).toMatchObject({ secretId: 'a' });
});
