/** Roles and temporary keys of the emulator, called by the official SDK. */
import { expect, test } from 'vitest';
import { assumeRole, codeOf, emulatorWithRoles, keyOf } from '../../support/emulator-with-roles.ts';
import { rowsOf } from '../../support/rows.ts';

const { clock, cvmClient, emulator, session, stsClient } = emulatorWithRoles();

test.each([
  ['TC3-HMAC-SHA256', 'POST'],
  ['HmacSHA256', 'GET'],
] as const)(
  'AssumeRole gives keys of the role, asked by %s and %s',
  async (signMethod, reqMethod) => {
    const client = stsClient(keyOf('central'), signMethod, reqMethod);

    const answer = await client.AssumeRole({ ...assumeRole, DurationSeconds: 1_800 });

    const { TmpSecretId = '', TmpSecretKey = '', Token = '' } = answer.Credentials ?? {};
    expect(answer.ExpiredTime).toBe(Math.floor(clock.now() / 1_000) + 1_800);
    expect(Date.parse(answer.Expiration ?? '')).toBe((answer.ExpiredTime ?? 0) * 1_000);
    const caller = cvmClient({ secretId: TmpSecretId, secretKey: TmpSecretKey, token: Token });
    expect(await caller.DescribeAccountQuota({})).toMatchObject({ AppId: 2 });
    expect(emulator().requests.list().at(-1)).toMatchObject({ account: 'member' });
  },
);

test('AssumeRole finds a role by its ID', async () => {
  const RoleArn = 'qcs::cam::uin/100000000002:role/4611686018427397920';

  expect(await codeOf(stsClient().AssumeRole({ ...assumeRole, RoleArn }))).toBeNull();
});

test.each(rowsOf<[string, object, string]>('emulator', 'refusals-of-AssumeRole'))(
  'AssumeRole refuses %s',
  async (_what, change, code) => {
    expect(await codeOf(stsClient().AssumeRole({ ...assumeRole, ...change }))).toBe(code);
  },
);

test('AssumeRole is refused to a key whose policy does not name the role', async () => {
  const RoleArn = 'qcs::cam::uin/100000000001:roleName/machine';
  const client = stsClient(keyOf('limited'));

  expect(await codeOf(client.AssumeRole({ ...assumeRole, RoleArn }))).toBe('UnauthorizedOperation');
  expect(await codeOf(client.AssumeRole(assumeRole))).toBeNull();
});

test.each([
  ['name/cvm:DescribeAccountQuota', null],
  ['name/cvm:DescribeRegions', 'UnauthorizedOperation'],
])(
  'AssumeRole narrows the policy of the role down to that of the request: %s',
  async (action, code) => {
    const statement = [{ effect: 'allow', action: [action], resource: '*' }];
    const Policy = encodeURIComponent(JSON.stringify({ version: '2.0', statement }));
    const { Credentials: given } = await stsClient().AssumeRole({ ...assumeRole, Policy });
    const { TmpSecretId = '', TmpSecretKey = '', Token = '' } = given ?? {};
    const client = cvmClient({ secretId: TmpSecretId, secretKey: TmpSecretKey, token: Token });

    expect(await codeOf(client.DescribeAccountQuota({}))).toBe(code);
    // What the policy of the role does not allow stays refused.
    expect(await codeOf(client.DescribeRegions())).toBe('UnauthorizedOperation');
  },
);

test('temporary keys end with their session', async () => {
  const credential = await session(600);

  emulator().advance('599s');
  expect(await codeOf(cvmClient(credential).DescribeAccountQuota({}))).toBeNull();
  emulator().advance('1s');
  expect(await codeOf(cvmClient(credential).DescribeAccountQuota({}))).toBe(
    'AuthFailure.TokenFailure',
  );
});

test('temporary keys are verified with their token and their key', async () => {
  const credential = await session();
  const other = await session();
  const { secretId, secretKey } = credential;

  const mixed = { ...credential, secretKey: other.secretKey };
  expect(await codeOf(cvmClient(mixed).DescribeAccountQuota({}))).toBe(
    'AuthFailure.SignatureFailure',
  );
  for (const wrong of [
    { secretId, secretKey },
    { ...credential, token: other.token ?? '' },
  ]) {
    expect(await codeOf(cvmClient(wrong).DescribeAccountQuota({}))).toBe(
      'AuthFailure.TokenFailure',
    );
  }
});

test('temporary keys tell who they belong to', async () => {
  expect(await stsClient().GetCallerIdentity()).toMatchObject({
    AccountId: '100000000001',
    Type: 'CAMUser',
  });
  expect(await stsClient(await session()).GetCallerIdentity()).toMatchObject({
    AccountId: '100000000002',
    UserId: '4611686018427397920:session',
    Type: 'CAMRole',
  });
});

test('the list of requests holds no token and no ExternalId', async () => {
  await stsClient().AssumeRole(assumeRole);

  expect(JSON.stringify(emulator().requests.list())).not.toContain('"external"');
});
