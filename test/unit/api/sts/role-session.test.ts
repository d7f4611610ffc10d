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

it('the last token of a pod is used while the mounts of two other accounts hang', async () => {
  const directory = await temporaryDirectory();
  const tokenFile = join(directory, 'token');
  await writeFile(tokenFile, 'web-token');
  const calls = new BoundedCalls({ timeoutMs: 100 });
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
  const others = ['a', 'b'].map((name) => join(directory, name));
  const pipes = await Promise.all(others.map(namedPipe));
  const hanging = others.map((file) => calls.run('credentials', file, () => readFile(file)));
  await Promise.allSettled(hanging);

  await expect(fetch(signal)).resolves.toMatchObject({ credentials: { secretId: 'an-id' } });

  expect(sent).toEqual(['web-token', 'web-token']);
  for (const pipe of pipes) await pipe.endReads();
});
