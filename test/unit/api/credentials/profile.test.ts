import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import {
  profileCredentials,
  profileExists,
  usualProfileFiles,
} from '../../../../src/api/credentials/profile.ts';
import { temporaryDirectory } from '../../../helpers/directories.ts';

let file: string;
beforeEach(async () => {
  file = join(await temporaryDirectory(), 'credentials');
  await writeFile(
    file,
    `; the accounts of the team
[default]
secret_id = default-id
secret_key=default-key

[with-token]
secret_id = 'other-id'
secret_key = "other-key"
token = other-token
region = ap-guangzhou

[half]
secret_id = half-id
[prose]
secret_id = two words
secret_key = key
`,
  );
});

const clock = { now: () => 0 };
const provider = (profile: string, files = [file]) => profileCredentials({ profile, files, clock });

it('a profile gives the credentials of its section', async () => {
  expect(await provider('default').get()).toEqual({
    secretId: 'default-id',
    secretKey: 'default-key',
    token: null,
  });
  expect(await provider('with-token').get()).toEqual({
    secretId: 'other-id',
    secretKey: 'other-key',
    token: 'other-token',
  });
});

it.each([
  ['none', 'the profile none of'],
  ['half', 'needs secret_id and secret_key'],
  ['prose', 'secret_id in the profile prose'],
  ['__proto__', 'the profile __proto__ of'],
  ['toString', 'the profile toString of'],
])('the profile %s fails, and the message names it without a value', async (profile, message) => {
  const error: unknown = await provider(profile)
    .get()
    .catch((caught: unknown) => caught);

  expect(error).toMatchObject({ code: 'Credentials', type: 'profile' });
  expect(String(error)).toContain(message);
  expect(String(error)).not.toMatch(/half-id|words/);
});

it('the first file that exists counts', async () => {
  expect(await provider('default', [`${file}-none`, file]).get()).toMatchObject({
    secretId: 'default-id',
  });
  await expect(provider('default', [`${file}-none`]).get()).rejects.toThrow(`${file}-none`);
});

it('a profile file is there, or not', async () => {
  expect(await profileExists([`${file}-none`, file])).toBe(true);
  await rm(file);
  expect(await profileExists([file])).toBe(false);
});

it('the usual files are those of the home directory, then of the system', () => {
  expect(usualProfileFiles('/home/a')).toEqual([
    '/home/a/.tencentcloud/credentials',
    '/etc/tencentcloud/credentials',
  ]);
  expect(usualProfileFiles(undefined)).toEqual(['/etc/tencentcloud/credentials']);
});
