import { expect, it } from 'vitest';
import { firstOf } from '../../../src/credentials/types.ts';

const fixed = (name: string) => () =>
  Promise.resolve({ secretId: name, secretKey: name, token: null });
const failing = () => Promise.reject(new Error('fails'));
const candidate = (fetch: ReturnType<typeof fixed>, state: { exists: boolean }) =>
  [() => Promise.resolve(state.exists), fetch] as const;

it('credentials of the type default come from the first source that exists, and stay with it', async () => {
  const absent = { exists: false };
  const present = { exists: true };
  const candidates = [candidate(fixed('a'), absent), candidate(fixed('b'), present)];
  const fetch = firstOf(candidates, fixed('last'));

  expect(await fetch()).toMatchObject({ secretId: 'b' });
  absent.exists = true;
  present.exists = false;

  expect(await fetch()).toMatchObject({ secretId: 'b' });
});

it('credentials of the type default fail if that source fails, and come from no other', async () => {
  const fetch = firstOf([candidate(failing, { exists: true })], fixed('last'));

  await expect(fetch()).rejects.toThrow('fails');
});

it('credentials of the type default come from a source that appears, as long as the last one has given nothing', async () => {
  const state = { exists: false };
  const fetch = firstOf([candidate(fixed('a'), state)], failing);
  await expect(fetch()).rejects.toThrow('fails');

  state.exists = true;

  expect(await fetch()).toMatchObject({ secretId: 'a' });
});
