import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BoundedCalls } from '../../../src/bounded-calls.ts';
import type { CredentialsTools } from '../../../src/credentials/credentials-type.ts';
import { typeOf } from '../../../src/credentials/types.ts';
import { CodedError } from '../../../src/model/coded-error.ts';
import { temporaryDirectory } from '../../support/directories.ts';

/** What fetches credentials of the type default on a machine without a role, and the parts of the machine. */
async function machine() {
  const HOME = await temporaryDirectory();
  const env: Record<string, string> = { HOME };
  const unreachable = new CodedError('NetworkError', 'no route');
  const tools = {
    env,
    fileCalls: new BoundedCalls(),
    transport: { sendWithoutProxy: () => Promise.reject(unreachable) },
    api: () => ({ metadataEndpoint: 'http://metadata', timeoutMs: 1_000 }),
    stsCalls: () => ({}),
  } as unknown as CredentialsTools;
  const folder = join(HOME, '.tencentcloud');
  return {
    env,
    fetch: typeOf({ type: 'default' }).fetch!({ type: 'default' }, tools),
    addProfile: async () => {
      await mkdir(folder);
      const text = '[default]\nsecret_id = of-profile\nsecret_key = key\n';
      await writeFile(join(folder, 'credentials'), text);
    },
  };
}

it('credentials of the type default come from the first source that exists, and stay with it', async () => {
  const { env, fetch, addProfile } = await machine();
  await addProfile();

  expect(await fetch()).toMatchObject({ secretId: 'of-profile' });
  Object.assign(env, { TENCENTCLOUD_SECRET_ID: 'of-environment', TENCENTCLOUD_SECRET_KEY: 'key' });

  expect(await fetch()).toMatchObject({ secretId: 'of-profile' });
});

it('credentials of the type default fail if that source fails, and come from no other', async () => {
  const { env, fetch, addProfile } = await machine();
  await addProfile();
  env.TENCENTCLOUD_SECRET_ID = 'without-a-key';

  await expect(fetch()).rejects.toThrow('TENCENTCLOUD_SECRET_KEY is not set');
});

it('credentials of the type default come from a source that appears, as long as the last one has given nothing', async () => {
  const { fetch, addProfile } = await machine();
  await expect(fetch()).rejects.toThrow(
    'no credentials in the environment, a profile or a cluster, and the metadata service gave no credentials',
  );

  await addProfile();

  expect(await fetch()).toMatchObject({ secretId: 'of-profile' });
});
