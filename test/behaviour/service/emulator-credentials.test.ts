/** Web identities and the metadata service of the emulator, called by the credential providers of the official SDK. */
import { createRequire } from 'node:module';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import {
  emulatorWithRoles,
  monitorRole,
  type SdkCredential,
} from '../../support/emulator-with-roles.ts';

type SdkProvider = new (...parameters: readonly object[]) => {
  getCredential(): Promise<SdkCredential>;
};
const sdkRequire = createRequire(import.meta.resolve('tencentcloud-sdk-nodejs-sts'));
const { CvmRoleCredential, OIDCRoleArnCredential } = sdkRequire(
  'tencentcloud-sdk-nodejs-common/tencentcloud/common/credential',
) as Record<'CvmRoleCredential' | 'OIDCRoleArnCredential', SdkProvider>;

const { cvmClient, emulator, httpProfile, stsClient } = emulatorWithRoles();

const webIdentity = (change: object = {}) => {
  const profile = { httpProfile: httpProfile() };
  const web = { ProviderId: 'cls-1a2b3c4d', WebIdentityToken: 'web-token', RoleArn: monitorRole };
  return new OIDCRoleArnCredential(
    { credential: { secretId: '', secretKey: '' }, region: 'ap-guangzhou', profile },
    { ...web, RoleSessionName: 'session', ...change },
  ).getCredential();
};

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
  expect(emulator().requests.list()).toMatchObject([{ account: 'member' }]);
});

const path = '/latest/meta-data/cam/security-credentials/';

test('the metadata service gives keys of the role of the machine to the provider of the official SDK', async () => {
  // The provider of the SDK knows only the real host. A proxy leads it to the emulator.
  const proxy = await startConnectProxy({ port: Number(new URL(emulator().url).port) });
  vi.stubEnv('http_proxy', proxy.url);
  onTestFinished(() => void vi.unstubAllEnvs());

  const credential = await new CvmRoleCredential().getCredential();

  expect(await stsClient(credential).GetCallerIdentity()).toMatchObject({
    AccountId: '100000000001',
    Type: 'CAMRole',
  });
});

test('the metadata service names the role, and answers 404 for others', async () => {
  expect(await (await fetch(emulator().url + path)).text()).toBe('machine');
  expect((await fetch(`${emulator().url + path}other`)).status).toBe(404);
  expect((await fetch(`${emulator().url}/latest/meta-data/instance-id`)).status).toBe(404);
});

test('the metadata service can answer with a fault', async () => {
  emulator().faults.add({ effect: 'http-status', status: 503, operation: 'Metadata' });

  expect((await fetch(`${emulator().url + path}machine`)).status).toBe(503);
  expect(emulator().requests.list()).toMatchObject([
    { operation: 'Metadata', fault: 'http-status' },
  ]);
});
