/** Every code of docs/service.md, sections 5.4, 6.5 and 9, by a request that earns it. */
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createManualClock,
  startEmulator,
  type RunningEmulator,
} from '../../../src/emulator/emulator.ts';
import { askedOf, queryOf, quotaQuery, versionsQuery, type Asked } from '../../support/ask.ts';
import { tc3Headers, v1Signed } from '../../support/sign.ts';

let emulator: RunningEmulator;
let host: string;
const clock = createManualClock(1_700_000_000_000);
const requestIds = new Set<string>();

beforeAll(async () => {
  emulator = await startEmulator({
    clock,
    scenario: {
      accounts: [
        {
          name: 'open',
          regions: [
            {
              name: 'ap-guangzhou',
              zones: [{ name: 'ap-guangzhou-3', postpaid: { limit: 10 } }],
              launch_templates: [{ id: 'lt-b8v1kcyq', default_version: 1, versions: [1, 2] }],
            },
            {
              name: 'ap-shanghai',
              launch_templates: [{ id: 'lt-shanghai', default_version: 1, versions: [1] }],
            },
          ],
        },
        {
          name: 'keyed',
          keys: [
            { secret_id: 'example-id', secret_key: 'example-key' },
            { secret_id: 'temporary-id', secret_key: 'temporary-key', token: 'example-token' },
          ],
          denied_operations: ['DescribeAccountQuota'],
          regions: [{ name: 'ap-guangzhou' }],
        },
        {
          name: 'busy',
          keys: [{ secret_id: 'busy-id', secret_key: 'busy-key' }],
          regions: [{ name: 'ap-guangzhou' }],
        },
      ],
    },
  });
  host = emulator.url.replace('http://', '');
});

afterAll(() => emulator.close());

/** Asks in a second of its own, so that the rate limit stays out of the way. */
function get(...parts: Parameters<typeof getNow>): Promise<Asked> {
  clock.advance(1000);
  return getNow(...parts);
}

async function getNow(
  parameters: Readonly<Record<string, string | number>>,
  options: Parameters<typeof request>[1] = {},
  rest = '',
): Promise<Asked> {
  const target = `${emulator.url}/?${queryOf(parameters)}${rest}`;
  const { statusCode, headers, body } = await request(target, options);
  expect(headers['content-type']).toBe('application/json');
  const asked = askedOf(statusCode, await body.text());
  expect(requestIds).not.toContain(asked.requestId);
  requestIds.add(asked.requestId);
  return asked;
}

const withoutRegion = { Action: 'DescribeAccountQuota', Version: '2017-03-12' };

const now = () => clock.now() / 1000;

function signed(changes: Readonly<Record<string, string>> = {}) {
  const parameters = {
    ...quotaQuery,
    SecretId: 'example-id',
    Timestamp: String(now()),
    Nonce: '1',
    ...changes,
  };
  return v1Signed(parameters, { host, secretKey: 'example-key' });
}

function tc3() {
  return tc3Headers({
    host,
    secretId: 'example-id',
    secretKey: 'example-key',
    timestamp: now(),
    action: 'DescribeAccountQuota',
  });
}

function indexed(name: string, values: readonly (string | number)[]) {
  return Object.fromEntries(values.map((value, index) => [`${name}.${index}`, value]));
}

const filter = (name: string, values: readonly string[], n = 0) => ({
  [`Filters.${n}.Name`]: name,
  ...indexed(`Filters.${n}.Values`, values),
});

/** docs/service.md, sections 5.4, 6.5 and 9. */
const specifiedCodes = [
  'InternalError',
  'InternalServerError',
  'InvalidParameter',
  'InvalidParameterCombination',
  'InvalidParameterValue',
  'InvalidParameterValue.LaunchTemplateIdMalformed',
  'InvalidParameterValue.LaunchTemplateIdNotExisted',
  'InvalidParameterValue.LaunchTemplateIdVerNotExisted',
  'InvalidParameterValue.LaunchTemplateNotFound',
  'InvalidParameterValue.LaunchTemplateVersion',
  'InvalidParameterValue.LimitExceeded',
  'InvalidParameterValue.NotSupported',
  'MissingParameter',
  'UnauthorizedOperation',
  'UnauthorizedOperation.MFAExpired',
  'UnauthorizedOperation.MFANotFound',
  'UnknownParameter',
  'UnsupportedOperation',
  'InvalidFilter',
  'InvalidFilterValue.LimitExceeded',
  'InvalidParameterValue.Range',
  'InvalidZone.MismatchRegion',
  'RequestLimitExceeded',
  'RequestLimitExceeded.UinLimitExceeded',
  'RequestLimitExceeded.GlobalRegionUinLimitExceeded',
  'RequestLimitExceeded.IPLimitExceeded',
  'ServiceUnavailable',
  'ResourceInUse',
  'ResourceUnavailable',
  'AuthFailure.SignatureExpire',
  'AuthFailure.TokenFailure',
  'ActionOffline',
  'AuthFailure.InvalidAuthorization',
  'AuthFailure.InvalidSecretId',
  'AuthFailure.MFAFailure',
  'AuthFailure.SecretIdNotFound',
  'AuthFailure.SignatureFailure',
  'AuthFailure.UnauthorizedOperation',
  'InvalidAction',
  'InvalidRequest',
  'IpInBlacklist',
  'IpNotInWhitelist',
  'LimitExceeded',
  'NoSuchProduct',
  'NoSuchVersion',
  'RequestSizeLimitExceeded',
  'ResponseSizeLimitExceeded',
  'ResourceInsufficient',
  'ResourceNotFound',
  'UnsupportedProtocol',
  'UnsupportedRegion',
];

/** What earns a code; codes that no request can earn are provoked by a fault rule. */
const earned: readonly (readonly [code: string, how: string, ask: () => Promise<Asked>])[] = [
  ['InvalidAction', 'an action that does not exist', () => get({ ...quotaQuery, Action: 'Nope' })],
  ['NoSuchVersion', 'another version', () => get({ ...quotaQuery, Version: '2016-01-01' })],
  ['MissingParameter', 'no Action', () => get({ Version: '2017-03-12' })],
  ['MissingParameter', 'no Version', () => get({ Action: 'DescribeAccountQuota' })],
  ['MissingParameter', 'no Region', () => get(withoutRegion)],
  [
    'MissingParameter',
    'no LaunchTemplateId',
    () => get({ ...quotaQuery, Action: 'DescribeLaunchTemplateVersions' }),
  ],
  [
    'UnsupportedRegion',
    'a region unknown to the account',
    () => get({ ...quotaQuery, Region: 'ap-x' }),
  ],
  ['UnsupportedProtocol', 'PUT', () => get(quotaQuery, { method: 'PUT' })],
  ['UnsupportedProtocol', 'DELETE', () => get(quotaQuery, { method: 'DELETE' })],
  [
    'RequestSizeLimitExceeded',
    'a query of 40 KB',
    () => get({ ...quotaQuery, Padding: 'a'.repeat(40_000) }),
  ],
  [
    'RequestSizeLimitExceeded',
    'a query of 200 KB',
    () => get({ ...quotaQuery, Padding: 'a'.repeat(200_000) }),
  ],
  [
    'RequestSizeLimitExceeded',
    'a form of more than 1 MB',
    () =>
      get(quotaQuery, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'a'.repeat(1024 * 1024 + 1),
      }),
  ],
  [
    'RequestSizeLimitExceeded',
    'JSON of more than 10 MB',
    () =>
      get(
        {},
        {
          method: 'POST',
          headers: { 'x-tc-action': 'DescribeAccountQuota', 'content-type': 'application/json' },
          body: ' '.repeat(10 * 1024 * 1024 + 1),
        },
      ),
  ],
  [
    'InvalidRequest',
    'a body that is no JSON',
    () =>
      get(
        {},
        {
          method: 'POST',
          headers: { 'x-tc-action': 'DescribeAccountQuota', 'content-type': 'application/json' },
          body: '{"Limit"',
        },
      ),
  ],
  ['UnknownParameter', 'a parameter of no meaning', () => get({ ...quotaQuery, Colour: 'red' })],
  [
    'UnknownParameter',
    'a parameter of the other operation',
    () => get({ ...quotaQuery, LaunchTemplateId: 'lt-b8v1kcyq' }),
  ],
  ['InvalidParameter', 'text for an integer', () => get({ ...versionsQuery, Limit: 'ten' })],
  ['InvalidParameter', 'a fraction for an integer', () => get({ ...versionsQuery, Offset: '1.5' })],
  [
    'InvalidParameter',
    'a word for a boolean',
    () => get({ ...versionsQuery, DefaultVersion: 'x' }),
  ],
  [
    'InvalidParameter',
    'a value for a list',
    () => get({ ...versionsQuery, LaunchTemplateVersions: 1 }),
  ],
  [
    'InvalidParameter',
    'a parameter given twice',
    () => get({ ...versionsQuery, Limit: 1 }, {}, '&Limit=2'),
  ],
  ['InvalidParameterValue', 'Limit 0', () => get({ ...versionsQuery, Limit: 0 })],
  ['InvalidParameterValue', 'Limit 101', () => get({ ...versionsQuery, Limit: 101 })],
  ['InvalidParameterValue', 'a negative Offset', () => get({ ...versionsQuery, Offset: -1 })],
  [
    'InvalidParameterValue',
    'a negative MinVersion',
    () => get({ ...versionsQuery, MinVersion: -1 }),
  ],
  [
    'InvalidParameterValue',
    'a negative MaxVersion',
    () => get({ ...versionsQuery, MaxVersion: -1 }),
  ],
  [
    'InvalidParameterCombination',
    'DefaultVersion with LaunchTemplateVersions.N',
    () => get({ ...versionsQuery, DefaultVersion: 'true', 'LaunchTemplateVersions.0': 1 }),
  ],
  [
    'InvalidParameterValue.LaunchTemplateIdMalformed',
    'an ID of another form',
    () => get({ ...versionsQuery, LaunchTemplateId: 'template-1' }),
  ],
  [
    'InvalidParameterValue.LaunchTemplateIdNotExisted',
    'an unknown ID',
    () => get({ ...versionsQuery, LaunchTemplateId: 'lt-00000000' }),
  ],
  [
    'InvalidParameterValue.LaunchTemplateNotFound',
    'a template of another region',
    () => get({ ...versionsQuery, LaunchTemplateId: 'lt-shanghai' }),
  ],
  [
    'InvalidParameterValue.LaunchTemplateIdVerNotExisted',
    'a version that the template does not have',
    () => get({ ...versionsQuery, 'LaunchTemplateVersions.0': 3 }),
  ],
  [
    'InvalidParameterValue.LaunchTemplateVersion',
    'a version number below 1',
    () => get({ ...versionsQuery, 'LaunchTemplateVersions.0': 0 }),
  ],
  [
    'InvalidParameterValue.LimitExceeded',
    'more than 100 version numbers',
    () => get({ ...versionsQuery, ...indexed('LaunchTemplateVersions', Array(101).fill(1)) }),
  ],
  [
    'InvalidFilter',
    'a filter of another name',
    () => get({ ...quotaQuery, ...filter('x', ['y']) }),
  ],
  [
    'InvalidFilter',
    'a filter without values',
    () => get({ ...quotaQuery, 'Filters.0.Name': 'zone' }),
  ],
  [
    'InvalidFilter',
    'a filter without a name',
    () => get({ ...quotaQuery, 'Filters.0.Values.0': 'ap-guangzhou-3' }),
  ],
  [
    'InvalidFilterValue.LimitExceeded',
    'more than 5 values',
    () => get({ ...quotaQuery, ...filter('quota-type', Array(6).fill('PostPaidQuotaSet')) }),
  ],
  [
    'InvalidFilterValue.LimitExceeded',
    'more than 10 filters',
    () =>
      get(
        Array.from({ length: 11 }, (_, n) => filter('zone', ['ap-guangzhou-3'], n)).reduce<
          Record<string, string | number>
        >((all, one) => ({ ...all, ...one }), { ...quotaQuery }),
      ),
  ],
  [
    'InvalidParameterValue.Range',
    'a quota type that does not exist',
    () => get({ ...quotaQuery, ...filter('quota-type', ['FreeQuotaSet']) }),
  ],
  [
    'InvalidZone.MismatchRegion',
    'a zone of another region',
    () => get({ ...quotaQuery, ...filter('zone', ['ap-shanghai-1']) }),
  ],
  ['UnauthorizedOperation', 'an operation denied to the account', () => get(signed())],
  [
    'AuthFailure.SecretIdNotFound',
    'an unknown SecretId',
    () => get(signed({ SecretId: 'other-id' })),
  ],
  [
    'AuthFailure.InvalidSecretId',
    'a SecretId of another form',
    () => get(signed({ SecretId: 'not an id' })),
  ],
  [
    'AuthFailure.SignatureFailure',
    'a wrong signature',
    () => get({ ...signed(), Signature: 'AAAA' }),
  ],
  [
    'AuthFailure.SignatureExpire',
    'a timestamp more than 300 seconds ago',
    () => get(signed({ Timestamp: String(now() - 301) })),
  ],
  [
    'AuthFailure.TokenFailure',
    'a temporary key without its token',
    () =>
      get(
        v1Signed(
          { ...quotaQuery, SecretId: 'temporary-id', Timestamp: String(now()), Nonce: '1' },
          { host, secretKey: 'temporary-key' },
        ),
      ),
  ],
  [
    'NoSuchProduct',
    'the host of another product',
    () => get(quotaQuery, { headers: { host: 'cbs.tencentcloudapi.com' } }),
  ],
  [
    'AuthFailure.InvalidAuthorization',
    'a malformed Authorization header',
    () => get({}, { headers: { ...tc3(), authorization: 'TC3-HMAC-SHA256 nonsense' } }),
  ],
  [
    'RequestLimitExceeded',
    'more than 20 requests in a second',
    async () => {
      const parameters = {
        ...quotaQuery,
        SecretId: 'busy-id',
        Timestamp: String(now()),
        Nonce: '1',
      };
      const query = v1Signed(parameters, { host, secretKey: 'busy-key' });
      const all = await Promise.all(Array.from({ length: 21 }, () => getNow(query)));
      return all.find(({ code }) => code !== null) ?? all[0]!;
    },
  ],
];

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function expectRefusal(asked: Asked, code: string): void {
  expect(asked).toMatchObject({ status: 200, code });
  expect(asked.requestId).toMatch(uuid);
  expect(asked.message).toMatch(/\S/);
  expect(asked.response).toEqual({
    Error: { Code: code, Message: asked.message },
    RequestId: asked.requestId,
  });
}

describe('by what is wrong with the request', () => {
  test.each(earned)('%s: %s', async (code, _how, provoke) => {
    const asked = await provoke();

    expectRefusal(asked, code);
  });
});

describe('by a fault rule', () => {
  const earnedCodes = new Set(earned.map(([code]) => code));

  test.each(specifiedCodes.filter((code) => !earnedCodes.has(code)))('%s', async (code) => {
    emulator.faults.add({ effect: 'error', code, count: 1 });

    const asked = await get(quotaQuery);

    expectRefusal(asked, code);
  });
});

test('the messages that have been seen of the live service are those of the emulator', async () => {
  const refusals = await Promise.all([
    get(withoutRegion),
    get({ ...quotaQuery, X: 1 }),
    get({ ...quotaQuery, Region: 'ap-x' }),
    get(signed({ SecretId: 'other-id' })),
    get({ ...signed(), Signature: 'AAAA' }),
  ]);

  expect(refusals.map(({ message }) => message)).toEqual([
    'The request is missing a required parameter `Region`.',
    'The parameter `X` is not recognized.',
    'The action not support this region.',
    'The SecretId is not found, please ensure that your SecretId is correct.',
    'The provided credentials could not be validated. Please check your signature is correct.',
  ]);
});
