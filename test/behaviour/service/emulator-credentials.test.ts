/** STS and the metadata service of the emulator, called by the official SDK and its credential providers. */
import { createRequire } from 'node:module';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { sts } from 'tencentcloud-sdk-nodejs-sts';
import { cvm } from 'tencentcloud-sdk-nodejs-cvm';
import {
  createManualClock,
  startEmulator,
  type ManualClock,
  type RunningEmulator,
  type ScenarioInput,
} from '../../../src/emulator/emulator.ts';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { trust } from '../../support/trust.ts';

interface SdkCredential {
  readonly secretId: string;
  readonly secretKey: string;
  readonly token?: string;
}
interface SdkProvider {
  getCredential(): Promise<SdkCredential>;
}

const sdkRequire = createRequire(import.meta.resolve('tencentcloud-sdk-nodejs-sts'));
const sdkProviders = sdkRequire(
  'tencentcloud-sdk-nodejs-common/tencentcloud/common/credential',
) as Record<'OIDCRoleArnCredential', new (config: object, parameters: object) => SdkProvider> & {
  readonly CvmRoleCredential: new () => SdkProvider;
};

const allow = (action: string, resource: string) => ({
  version: '2.0' as const,
  statement: [{ effect: 'allow' as const, action, resource }],
});

const scenario: ScenarioInput = {
  accounts: [
    {
      name: 'central',
      uin: '100000000001',
      keys: [
        { secret_id: 'central-id', secret_key: 'central-key' },
        {
          secret_id: 'limited-id',
          secret_key: 'limited-key',
          policy: allow('name/sts:AssumeRole', 'qcs::cam::uin/100000000002:roleName/monitor'),
        },
      ],
      roles: [{ name: 'machine', trust: trust({ service: 'cvm.qcloud.com' }) }],
    },
    {
      name: 'member',
      app_id: 2,
      uin: '100000000002',
      roles: [
        {
          name: 'monitor',
          id: '4611686018427397920',
          max_session: '3h',
          policy: allow('name/cvm:DescribeAccountQuota', '*'),
          trust: {
            version: '2.0',
            statement: [
              ...trust({ qcs: 'qcs::cam::uin/100000000001:root' }, { externalId: 'external' })
                .statement,
              {
                effect: 'allow',
                action: 'name/sts:AssumeRoleWithWebIdentity',
                principal: { federated: 'qcs::cam::uin/100000000002:oidc-provider/cls-1a2b3c4d' },
                condition: { string_equal: { 'oidc:aud': 'sts.cloud.tencent.com' } },
              },
            ],
          },
        },
        { name: 'other', trust: { version: '2.0', statement: [] } },
      ],
      oidc_providers: [
        { id: 'cls-1a2b3c4d', tokens: [{ token: 'web-token', valid_for: '1h' }] },
        { id: 'cls-untrusted', tokens: [{ token: 'untrusted-token' }] },
      ],
      regions: [{ name: 'ap-guangzhou', image: { limit: 10 } }],
    },
  ],
  machine: { role: 'machine' },
};

const monitorRole = 'qcs::cam::uin/100000000002:roleName/monitor';

let clock: ManualClock;
let emulator: RunningEmulator;
beforeEach(async () => {
  clock = createManualClock();
  emulator = await startEmulator({ scenario, clock });
});
afterEach(() => emulator.close());

const httpProfile = (reqMethod: 'GET' | 'POST' = 'POST') => ({
  protocol: 'http://',
  endpoint: emulator.url.replace('http://', ''),
  reqMethod,
});

const key = (name: string) => ({ secretId: `${name}-id`, secretKey: `${name}-key` });

function stsClient(
  credential: SdkCredential = key('central'),
  signMethod: 'TC3-HMAC-SHA256' | 'HmacSHA256' = 'TC3-HMAC-SHA256',
  reqMethod: 'GET' | 'POST' = 'POST',
) {
  return new sts.v20180813.Client({
    credential,
    region: 'ap-guangzhou',
    profile: { signMethod, httpProfile: httpProfile(reqMethod) },
  });
}

function cvmClient(credential: SdkCredential) {
  return new cvm.v20170312.Client({
    credential,
    region: 'ap-guangzhou',
    profile: { httpProfile: httpProfile() },
  });
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => (error as { code: string }).code,
  );

const request = { RoleArn: monitorRole, RoleSessionName: 'session', ExternalId: 'external' };

test.each([
  ['TC3-HMAC-SHA256', 'POST'],
  ['HmacSHA256', 'GET'],
] as const)(
  'AssumeRole gives keys of the role, asked by %s and %s',
  async (signMethod, reqMethod) => {
    const client = stsClient(key('central'), signMethod, reqMethod);

    const answer = await client.AssumeRole({ ...request, DurationSeconds: 1_800 });

    const { TmpSecretId = '', TmpSecretKey = '', Token = '' } = answer.Credentials ?? {};
    expect(answer.ExpiredTime).toBe(Math.floor(clock.now() / 1_000) + 1_800);
    expect(Date.parse(answer.Expiration ?? '')).toBe((answer.ExpiredTime ?? 0) * 1_000);
    const caller = cvmClient({ secretId: TmpSecretId, secretKey: TmpSecretKey, token: Token });
    expect(await caller.DescribeAccountQuota({})).toMatchObject({ AppId: 2 });
    expect(emulator.requests.list().at(-1)).toMatchObject({ account: 'member' });
  },
);

test('AssumeRole finds a role by its ID', async () => {
  const RoleArn = 'qcs::cam::uin/100000000002:role/4611686018427397920';

  expect(await codeOf(stsClient().AssumeRole({ ...request, RoleArn }))).toBeNull();
});

test.each([
  ['a wrong ExternalId', { ExternalId: 'another' }, 'UnauthorizedOperation'],
  ['an empty ExternalId', { ExternalId: '' }, 'UnauthorizedOperation'],
  [
    'a role that trusts nothing',
    { RoleArn: 'qcs::cam::uin/100000000002:roleName/other' },
    'UnauthorizedOperation',
  ],
  [
    'a role that does not exist',
    { RoleArn: 'qcs::cam::uin/100000000002:roleName/none' },
    'ResourceNotFound.RoleNotFound',
  ],
  ['a malformed role', { RoleArn: 'monitor' }, 'InvalidParameter.ResouceError'],
  ['a long session', { DurationSeconds: 10_801 }, 'InvalidParameter.OverTimeError'],
  ['a malformed session', { RoleSessionName: 'a b' }, 'InvalidParameter.ParamError'],
])('AssumeRole refuses %s', async (_what, change, code) => {
  expect(await codeOf(stsClient().AssumeRole({ ...request, ...change }))).toBe(code);
});

test('AssumeRole is refused to a key whose policy does not name the role', async () => {
  const RoleArn = 'qcs::cam::uin/100000000001:roleName/machine';
  const client = stsClient(key('limited'));

  expect(await codeOf(client.AssumeRole({ ...request, RoleArn }))).toBe('UnauthorizedOperation');
  expect(await codeOf(client.AssumeRole(request))).toBeNull();
});

async function session(seconds = 7_200): Promise<SdkCredential> {
  const { Credentials } = await stsClient().AssumeRole({ ...request, DurationSeconds: seconds });
  const { TmpSecretId = '', TmpSecretKey = '', Token = '' } = Credentials ?? {};
  return { secretId: TmpSecretId, secretKey: TmpSecretKey, token: Token };
}

test('temporary keys end with their session', async () => {
  const credential = await session(600);

  emulator.advance('599s');
  expect(await codeOf(cvmClient(credential).DescribeAccountQuota({}))).toBeNull();
  emulator.advance('1s');
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

const webIdentity = (change: object = {}) =>
  new sdkProviders.OIDCRoleArnCredential(
    {
      credential: { secretId: '', secretKey: '' },
      region: 'ap-guangzhou',
      profile: { httpProfile: httpProfile() },
    },
    {
      ProviderId: 'cls-1a2b3c4d',
      WebIdentityToken: 'web-token',
      RoleArn: monitorRole,
      RoleSessionName: 'session',
      ...change,
    },
  ).getCredential();

test('AssumeRoleWithWebIdentity gives keys of the role to the provider of the official SDK', async () => {
  const credential = await webIdentity();

  expect(await cvmClient(credential).DescribeAccountQuota({})).toMatchObject({ AppId: 2 });
});

test.each([
  ['another token', { WebIdentityToken: 'another' }],
  ['another provider', { ProviderId: 'cls-untrusted' }],
  [
    'a provider that the role does not trust',
    { ProviderId: 'cls-untrusted', WebIdentityToken: 'untrusted-token' },
  ],
])('AssumeRoleWithWebIdentity refuses %s', async (_what, change) => {
  await expect(webIdentity(change)).rejects.toThrow('Get STS AssumeRoleWithWebIdentity failed');
});

test('AssumeRoleWithWebIdentity refuses a token that has expired', async () => {
  emulator.advance('3600s');

  await expect(webIdentity()).rejects.toThrow();
  expect(emulator.requests.list().at(-1)).toMatchObject({
    code: 'InvalidParameter.WebIdentityTokenError',
    account: 'member',
  });
});

const path = '/latest/meta-data/cam/security-credentials/';

test('the metadata service gives keys of the role of the machine to the provider of the official SDK', async () => {
  // The provider of the SDK knows only the real host. A proxy leads it to the emulator.
  const proxy = await startConnectProxy({ port: Number(new URL(emulator.url).port) });
  vi.stubEnv('http_proxy', proxy.url);
  onTestFinished(() => void vi.unstubAllEnvs());

  const credential = await new sdkProviders.CvmRoleCredential().getCredential();

  expect(await stsClient(credential).GetCallerIdentity()).toMatchObject({
    AccountId: '100000000001',
    Type: 'CAMRole',
  });
});

test('the metadata service names the role, and answers 404 for others', async () => {
  expect(await (await fetch(emulator.url + path)).text()).toBe('machine');
  expect((await fetch(`${emulator.url + path}other`)).status).toBe(404);
  expect((await fetch(`${emulator.url}/latest/meta-data/instance-id`)).status).toBe(404);
});

test('the metadata service can answer with a fault', async () => {
  emulator.faults.add({ effect: 'http-status', status: 503, operation: 'Metadata' });

  expect((await fetch(`${emulator.url + path}machine`)).status).toBe(503);
  expect(emulator.requests.list()).toMatchObject([{ operation: 'Metadata', fault: 'http-status' }]);
});

test('the list of requests holds no token and no ExternalId', async () => {
  await stsClient().AssumeRole(request);

  expect(JSON.stringify(emulator.requests.list())).not.toContain('"external"');
});
