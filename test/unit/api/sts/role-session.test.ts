import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tkeOidcFetch, type StsClient } from '../../../../src/api/sts/role-session.ts';
import { BoundedCalls } from '../../../../src/files/bounded-calls.ts';
import { temporaryDirectory } from '../../../helpers/directories.ts';
import { namedPipe } from '../../../helpers/named-pipe.ts';

const fields = {
  Credentials: { Token: 'a-token', TmpSecretId: 'an-id', TmpSecretKey: 'a-key' },
  ExpiredTime: 1,
};

it('the last token of a pod is used while a mount of another account hangs', async () => {
  const directory = await temporaryDirectory();
  const tokenFile = join(directory, 'token');
  await writeFile(tokenFile, 'web-token');
  const calls = new BoundedCalls({ timeoutMs: 100, maxCalls: 3 });
  const sent: unknown[] = [];
  const client: StsClient = {
    call: ({ sts }, read) => {
      sent.push(sts?.body.WebIdentityToken);
      return Promise.resolve(read({ fields, requestId: null }));
    },
    clock: { now: () => 0 },
    correctionMs: () => 0,
    maxRetryMs: () => 0,
  };
  const env = {
    TKE_REGION: 'ap-x',
    TKE_PROVIDER_ID: 'cls-1',
    TKE_WEB_IDENTITY_TOKEN_FILE: tokenFile,
    TKE_ROLE_ARN: 'a-role',
  };
  const fetch = tkeOidcFetch({ env, sessionName: 'test', calls }, client);
  const { signal } = new AbortController();
  await fetch(signal);
  const other = join(directory, 'other');
  const pipe = await namedPipe(other);
  const hanging = calls.run('credentials', other, () => readFile(other));
  await expect(hanging).rejects.toThrow('no answer');

  await expect(fetch(signal)).resolves.toMatchObject({ credentials: { secretId: 'an-id' } });

  expect(sent).toEqual(['web-token', 'web-token']);
  await pipe.endReads();
});
