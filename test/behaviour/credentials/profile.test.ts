import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import {
  profileCredentials,
  profileExists,
  usualProfileFiles,
} from '../../../src/credentials/profile.ts';
import { BoundedCalls } from '../../../src/bounded-calls.ts';
import { temporaryDirectory } from '../../support/directories.ts';

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

const calls = new BoundedCalls();
const read = (profile: string, files = [file]) => profileCredentials(profile, files, calls)();

it('a profile gives the credentials of its section', async () => {
  expect(await read('default')).toEqual({
    secretId: 'default-id',
    secretKey: 'default-key',
    token: null,
  });
  expect(await read('with-token')).toEqual({
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
  const error: unknown = await read(profile).catch((caught: unknown) => caught);

  expect(error).toMatchObject({ code: 'Credentials', type: 'profile' });
  expect(String(error)).toContain(message);
  expect(String(error)).not.toMatch(/half-id|words/);
});

it.each([
  ['a byte order mark', '\uFEFF[default]\nsecret_id = an-id\nsecret_key = a-key\n', 'a-key'],
  ['line ends of Windows', '[default]\r\nsecret_id = an-id\r\nsecret_key = a-key\r\n', 'a-key'],
  ['an equals sign in a value', '[default]\nsecret_id = an-id\nsecret_key=a-key==\n', 'a-key=='],
])('a profile file with %s is read', async (_what, text, secretKey) => {
  await writeFile(file, text);

  expect(await read('default')).toMatchObject({ secretId: 'an-id', secretKey });
});

const own = '[default]\nsecret_id = own-id\nsecret_key = own-key\ntoken = own-token\n';
it.each([
  ['a comment', '[other] # mine', 'not only [NAME]'],
  ['an open bracket', '[other', 'not only [NAME]'],
  ['the same name', '[default]', 'is there 2 times'],
  ['the same name and spaces', '[ default ] ', 'is there 2 times'],
])(
  'a profile never has the key of a section after it, whose line has %s',
  async (_what, header, message) => {
    await writeFile(file, `${own}${header}\nsecret_id = other-id\nsecret_key = other-key\n`);

    await expect(read('default')).rejects.toThrow(message);
  },
);

it('of the profile files, the first that exists counts', async () => {
  expect(await read('default', [`${file}-none`, file])).toMatchObject({
    secretId: 'default-id',
  });
  await expect(read('default', [`${file}-none`])).rejects.toThrow(`${file}-none`);
});

it('a home that is no directory has no profile file', async () => {
  const [inHome = ''] = usualProfileFiles({ HOME: '/dev/null' });

  expect(await profileExists([inHome], calls)).toBe(false);
  expect(await read('default', [inHome, file])).toMatchObject({ secretId: 'default-id' });
});

it('the usual profile files are those of the home directory, if there is one, then of the system', () => {
  expect(usualProfileFiles({ HOME: '/home/a' })).toEqual([
    '/home/a/.tencentcloud/credentials',
    '/etc/tencentcloud/credentials',
  ]);
  expect(usualProfileFiles({})).toEqual(['/etc/tencentcloud/credentials']);
  expect(usualProfileFiles({ HOME: '' })).toEqual(['/etc/tencentcloud/credentials']);
});
