/** The codes of docs/service.md, sections 5.4, 6.5 and 9, each by requests that earn it. Those of wrong signatures: authentication.test.ts. */
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createManualClock,
  startEmulator,
  type RunningEmulator,
} from '../../../src/emulator/emulator.ts';
import { filters, indexed } from '../../support/answer-rows.ts';
import { askedOf, queryOf, quotaQuery, versionsQuery, type Asked } from '../../support/ask.ts';
import { v1Signed } from '../../support/sign.ts';

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
          keys: [{ secret_id: 'example-id', secret_key: 'example-key' }],
          denied_operations: ['DescribeAccountQuota'],
          regions: [{ name: 'ap-guangzhou' }],
        },
      ],
    },
  });
  host = emulator.url.replace('http://', '');
});

afterAll(() => emulator.close());

type Query = Readonly<Record<string, string | number>>;
type Options = NonNullable<Parameters<typeof request>[1]>;

/** Asks in a second of its own, so that the rate limit stays out of the way. */
async function get(parameters: Query, options: Options = {}): Promise<Asked> {
  clock.advance(1000);
  const target = `${emulator.url}/?${queryOf(parameters)}`;
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

const json = (body: string): Options => ({
  method: 'POST',
  headers: { 'x-tc-action': 'DescribeAccountQuota', 'content-type': 'application/json' },
  body,
});

type Row = readonly [
  code: string,
  how: string,
  /** A function, where the time of the emulator is a part of the request. */
  parameters: Query | (() => Query),
  options?: Options,
];

const earned: readonly Row[] = [
  ['InvalidAction', 'an action that does not exist', { ...quotaQuery, Action: 'Nope' }],
  ['NoSuchVersion', 'another version', { ...quotaQuery, Version: '2016-01-01' }],
  ['MissingParameter', 'no Action', { Version: '2017-03-12' }],
  ['MissingParameter', 'no Version', { Action: 'DescribeAccountQuota' }],
  ['MissingParameter', 'no Region', withoutRegion],
  [
    'MissingParameter',
    'no LaunchTemplateId',
    { ...quotaQuery, Action: 'DescribeLaunchTemplateVersions' },
  ],
  ['UnsupportedRegion', 'a region unknown to the account', { ...quotaQuery, Region: 'ap-x' }],
  ['UnsupportedProtocol', 'PUT', quotaQuery, { method: 'PUT' }],
  ['UnsupportedProtocol', 'DELETE', quotaQuery, { method: 'DELETE' }],
  ['RequestSizeLimitExceeded', 'a query of 40 KB', { ...quotaQuery, Padding: 'a'.repeat(40_000) }],
  ['RequestSizeLimitExceeded', 'a query of 200 KB', { ...quotaQuery, Padding: 'a'.repeat(2e5) }],
  [
    'RequestSizeLimitExceeded',
    'a form of more than 1 MB',
    quotaQuery,
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a'.repeat(1024 * 1024 + 1),
    },
  ],
  [
    'RequestSizeLimitExceeded',
    'JSON of more than 10 MB',
    {},
    json(' '.repeat(10 * 1024 * 1024 + 1)),
  ],
  ['InvalidRequest', 'a body that is no JSON', {}, json('{"Limit"')],
  ['UnknownParameter', 'a parameter of no meaning', { ...quotaQuery, Colour: 'red' }],
  [
    'UnknownParameter',
    'a parameter of the other operation',
    { ...quotaQuery, LaunchTemplateId: 'lt-b8v1kcyq' },
  ],
  ['InvalidParameter', 'text for an integer', { ...versionsQuery, Limit: 'ten' }],
  ['InvalidParameter', 'a fraction for an integer', { ...versionsQuery, Offset: '1.5' }],
  ['InvalidParameter', 'a word for a boolean', { ...versionsQuery, DefaultVersion: 'x' }],
  ['InvalidParameter', 'a value for a list', { ...versionsQuery, LaunchTemplateVersions: 1 }],
  ['InvalidParameterValue', 'Limit 0', { ...versionsQuery, Limit: 0 }],
  ['InvalidParameterValue', 'Limit 101', { ...versionsQuery, Limit: 101 }],
  ['InvalidParameterValue', 'a negative Offset', { ...versionsQuery, Offset: -1 }],
  ['InvalidParameterValue', 'a negative MinVersion', { ...versionsQuery, MinVersion: -1 }],
  ['InvalidParameterValue', 'a negative MaxVersion', { ...versionsQuery, MaxVersion: -1 }],
  [
    'InvalidParameterCombination',
    'DefaultVersion with LaunchTemplateVersions.N',
    { ...versionsQuery, DefaultVersion: 'true', 'LaunchTemplateVersions.0': 1 },
  ],
  [
    'InvalidParameterValue.LaunchTemplateIdMalformed',
    'an ID of another form',
    { ...versionsQuery, LaunchTemplateId: 'template-1' },
  ],
  [
    'InvalidParameterValue.LaunchTemplateIdNotExisted',
    'an unknown ID',
    { ...versionsQuery, LaunchTemplateId: 'lt-00000000' },
  ],
  [
    'InvalidParameterValue.LaunchTemplateNotFound',
    'a template of another region',
    { ...versionsQuery, LaunchTemplateId: 'lt-shanghai' },
  ],
  [
    'InvalidParameterValue.LaunchTemplateIdVerNotExisted',
    'a version that the template does not have',
    { ...versionsQuery, 'LaunchTemplateVersions.0': 3 },
  ],
  [
    'InvalidParameterValue.LaunchTemplateVersion',
    'a version number below 1',
    { ...versionsQuery, 'LaunchTemplateVersions.0': 0 },
  ],
  [
    'InvalidParameterValue.LimitExceeded',
    'more than 100 version numbers',
    { ...versionsQuery, ...indexed('LaunchTemplateVersions', Array(101).fill(1)) },
  ],
  ['InvalidFilter', 'a filter of another name', { ...quotaQuery, ...filters(['x', 'y']) }],
  ['InvalidFilter', 'a filter without values', { ...quotaQuery, 'Filters.0.Name': 'zone' }],
  [
    'InvalidFilter',
    'a filter without a name',
    { ...quotaQuery, 'Filters.0.Values.0': 'ap-guangzhou-3' },
  ],
  [
    'InvalidFilterValue.LimitExceeded',
    'more than 5 values',
    { ...quotaQuery, ...filters(['quota-type', ...Array<string>(6).fill('PostPaidQuotaSet')]) },
  ],
  [
    'InvalidFilterValue.LimitExceeded',
    'more than 10 filters',
    {
      ...quotaQuery,
      ...filters(...Array.from({ length: 11 }, () => ['zone', 'ap-guangzhou-3'] as const)),
    },
  ],
  [
    'InvalidParameterValue.Range',
    'a quota type that does not exist',
    { ...quotaQuery, ...filters(['quota-type', 'FreeQuotaSet']) },
  ],
  [
    'InvalidZone.MismatchRegion',
    'a zone of another region',
    { ...quotaQuery, ...filters(['zone', 'ap-shanghai-1']) },
  ],
  ['UnauthorizedOperation', 'an operation denied to the account', () => signed()],
  ['AuthFailure.SecretIdNotFound', 'an unknown SecretId', () => signed({ SecretId: 'other-id' })],
  [
    'AuthFailure.InvalidSecretId',
    'a SecretId of another form',
    () => signed({ SecretId: 'not an id' }),
  ],
  [
    'NoSuchProduct',
    'the host of another product',
    quotaQuery,
    { headers: { host: 'cbs.tencentcloudapi.com' } },
  ],
];

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

for (const [code, how, parameters, options = {}] of earned) {
  test(`${code} is the answer to ${how}`, async () => {
    const asked = await get(typeof parameters === 'function' ? parameters() : parameters, options);

    expect(asked).toMatchObject({ status: 200, code });
    expect(asked.requestId).toMatch(uuid);
    expect(asked.message).toMatch(/\S/);
    expect(asked.response).toEqual({
      Error: { Code: code, Message: asked.message },
      RequestId: asked.requestId,
    });
  });
}

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
