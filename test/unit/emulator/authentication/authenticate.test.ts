import { expect, test } from 'vitest';
import {
  createEmulator,
  createManualClock,
  type Emulator,
} from '../../../../src/emulator/emulator.ts';
import { ask, queryOf, quotaQuery, send, versionsQuery } from '../../../support/ask.ts';
import { rowsOf } from '../../../support/rows.ts';
import { tc3Headers, v1Signed, type Tc3Options } from '../../../support/sign.ts';

const host = 'cvm.tencentcloudapi.com';
const secretId = 'example-id';
const secretKey = 'example-key';
const timestamp = 1_700_000_000;

const template = { id: 'lt-b8v1kcyq', default_version: 1, versions: [1] };

/** An account with keys, and the clock at the time of the vectors. */
function keyed(clock_skew = '0s'): Promise<Emulator> {
  return createEmulator({
    clock: createManualClock(timestamp * 1000),
    scenario: {
      clock_skew,
      accounts: [
        {
          name: 'keyed',
          keys: [{ secret_id: secretId, secret_key: secretKey }],
          regions: [{ name: 'ap-guangzhou', launch_templates: [template] }],
        },
      ],
    },
  });
}

function v1(changes: Readonly<Record<string, string>> = {}, method = 'GET') {
  const parameters = {
    ...quotaQuery,
    SecretId: secretId,
    Timestamp: String(timestamp),
    Nonce: '1',
    ...changes,
  };
  return v1Signed(parameters, { host, secretKey, method });
}

test('signature v1 takes any other SignatureMethod than the exact HmacSHA256 as HMAC-SHA1', async () => {
  const emulator = await keyed();

  expect(ask(emulator, v1({ SignatureMethod: 'hmacsha256' })).code).toBeNull();
});

test('signature v1 is verified over the raw values, encoded on the wire in any way and order', async () => {
  const emulator = await keyed();
  const { Action, ...parameters } = v1({
    RequestClient: 'a b+c/é',
    'Filters.0.Name': 'quota-type',
    'Filters.0.Values.0': 'SpotPaidQuotaSet',
  });
  const withPlus = queryOf(parameters).replaceAll('%20', '+');

  expect(send(emulator, { query: `${withPlus}&Action=${Action ?? ''}` }).code).toBeNull();
});

test('signature v1 is accepted in a form', async () => {
  const emulator = await keyed();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = queryOf(v1({}, 'POST'));

  expect(send(emulator, { method: 'POST', headers, body }).code).toBeNull();
});

test('signature v1 signs the host with its port', async () => {
  const emulator = await keyed();

  const withPort = ask(emulator, v1(), { host: `${host}:8080` });

  expect(withPort.code).toBe('AuthFailure.SignatureFailure');
});

test.each(['SecretId', 'Timestamp', 'Nonce', 'Signature'])(
  'signature v1 needs %s',
  async (name) => {
    const emulator = await keyed();
    const parameters = Object.fromEntries(Object.entries(v1()).filter(([key]) => key !== name));

    const refused = ask(emulator, parameters);

    expect(refused).toMatchObject({
      code: 'MissingParameter',
      message: `The request is missing a required parameter \`${name}\`.`,
    });
  },
);

const quota = { host, secretId, secretKey, timestamp, action: 'DescribeAccountQuota' };

function sendTc3(emulator: Emulator, options: Partial<Tc3Options>, changes = {}) {
  const all = { ...quota, ...options };
  const { method = 'GET', query = '', body = '' } = all;
  return send(emulator, { method, query, body, headers: { ...tc3Headers(all), ...changes } });
}

test.each(rowsOf<[string, Partial<Tc3Options>]>('emulator', 'accepted-signatures'))(
  'signature v3 accepts %s',
  async (_what, options) => {
    const emulator = await keyed();

    expect(sendTc3(emulator, options).code).toBeNull();
  },
);

test.each(rowsOf<[string, Partial<Tc3Options>, object]>('emulator', 'refused-signatures'))(
  'signature v3 refuses %s',
  async (_what, options, changes) => {
    const emulator = await keyed();

    expect(sendTc3(emulator, options, changes).code).toBe('AuthFailure.SignatureFailure');
  },
);

test('signature v3 refuses a signed header that is not sent', async () => {
  const emulator = await keyed();
  const signed = tc3Headers({ ...quota, extraHeaders: { 'x-tc-trace': '1' } });
  const headers = Object.fromEntries(
    Object.entries(signed).filter(([name]) => name !== 'x-tc-trace'),
  );

  expect(send(emulator, { headers }).code).toBe('AuthFailure.SignatureFailure');
});

test.each([
  'TC3-HMAC-SHA256',
  'Basic dXNlcjpwYXNz',
  'TC3-HMAC-SHA256 Credential=a/b/c/tc3_request, SignedHeaders=content-type;host, Signature=00',
  `TC3-HMAC-SHA256 Credential=${secretId}/2023-11-14/cvm/tc3_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
])('signature v3 refuses %s as malformed', async (authorization) => {
  const emulator = await keyed();

  const refused = sendTc3(emulator, {}, { authorization });

  expect(refused.code).toBe('AuthFailure.InvalidAuthorization');
});

test.each([
  ['vpc', { action: 'DescribeSubnets' }],
  ['cbs', { action: 'DescribeDiskConfigQuota', query: 'InquiryType=INQUIRY_CVM_CONFIG' }],
  ['as', { action: 'DescribeAutoScalingGroups', version: '2018-04-19' }],
])('signature v3 answers an operation of %s that is signed for it', async (service, operation) => {
  const emulator = await keyed();
  const codeAt = (at: string, signedFor = service) =>
    sendTc3(emulator, { ...operation, host: at, service: signedFor }).code;

  expect(codeAt(`${service}.tencentcloudapi.com`)).toBeNull();
  expect(codeAt(`${service}.intl.tencentcloudapi.com`)).toBeNull();
  expect(codeAt('127.0.0.1:1')).toBeNull();
  expect(codeAt(`${service}.tencentcloudapi.com`, 'cvm')).toBe('AuthFailure.SignatureFailure');
  expect(codeAt('127.0.0.1:1', 'cvm')).toBe('AuthFailure.SignatureFailure');
  expect(codeAt('cvm.tencentcloudapi.com')).toBe('InvalidAction');
});

test.each([
  ['as', '2018-04-19', 'DescribeAutoScalingGroups'],
  ['as', '2018-04-19', 'DescribeLaunchConfigurations'],
  ['as', '2018-04-19', 'DescribeAutoScalingActivities'],
  ['cbs', '2017-03-12', 'DescribeDiskConfigQuota'],
  ['cvm', '2017-03-12', 'DescribeDisasterRecoverGroups'],
  ['cvm', '2017-03-12', 'InquiryPriceRunInstances'],
])(
  'a policy that names another operation of %s, %s, refuses %s',
  async (service, version, action) => {
    const policyOf = (name: string) => ({
      version: '2.0' as const,
      statement: [{ effect: 'allow' as const, action: `name/${service}:${name}`, resource: '*' }],
    });
    const codeWith = async (name: string) => {
      const keys = [{ secret_id: secretId, secret_key: secretKey, policy: policyOf(name) }];
      const regions = [{ name: 'ap-guangzhou' }];
      const emulator = await createEmulator({
        scenario: { accounts: [{ name: 'a', keys, regions }] },
        clock: createManualClock(timestamp * 1_000),
      });
      return sendTc3(emulator, { host: '127.0.0.1:1', service, version, action }).code;
    };

    expect(await codeWith('DescribeSubnets')).toBe('UnauthorizedOperation');
    expect(await codeWith(action)).not.toBe('UnauthorizedOperation');
  },
);

test('signature v3 takes the common parameters from headers only', async () => {
  const emulator = await keyed();

  expect(sendTc3(emulator, { query: 'Region=ap-guangzhou' }).code).toBe('UnknownParameter');
});

test.each([
  ['300s', null],
  ['-300s', null],
  ['301s', 'AuthFailure.SignatureExpire'],
  ['-301s', 'AuthFailure.SignatureExpire'],
])('the clock of a scenario may differ by five minutes: %s', async (skew, code) => {
  const emulator = await keyed(skew);

  expect(ask(emulator, v1()).code).toBe(code);
  expect(sendTc3(emulator, {}).code).toBe(code);
});

const regionsOf = (image: number) => [{ name: 'ap-guangzhou', image: { limit: image } }];
const keys = [{ secret_id: secretId, secret_key: secretKey }];
const scenario = {
  accounts: [
    { name: 'keyed', app_id: 1, keys, regions: regionsOf(1) },
    { name: 'open', app_id: 2, regions: regionsOf(2) },
  ],
};

test('of several accounts, an unsigned request goes to the one without keys, a signed one to its own', async () => {
  const clock = createManualClock(timestamp * 1000);
  const emulator = await createEmulator({ scenario, clock });

  expect(ask(emulator, quotaQuery).response.AppId).toBe(2);
  expect(ask(emulator, v1()).response.AppId).toBe(1);
  expect(emulator.requests.list().map(({ account }) => account)).toEqual(['open', 'keyed']);
});

test('signatures are not looked at when no account has keys', async () => {
  const emulator = await createEmulator();

  expect(ask(emulator, { ...versionsQuery, SecretId: 'any', Signature: 'any' }).code).toBeNull();
});
