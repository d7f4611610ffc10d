/** Each error code of the emulator, with requests that get it. The codes of wrong signatures are in authenticate.test.ts. */
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createManualClock,
  startEmulator,
  type RunningEmulator,
  type ScenarioInput,
} from '../../../src/emulator/emulator.ts';
import { filters, flat } from '../../support/answer-rows.ts';
import { askedOf, queryOf, quotaQuery, versionsQuery, type Asked } from '../../support/ask.ts';
import { fixtureOf } from '../../support/rows.ts';
import { v1Signed } from '../../support/sign.ts';

let emulator: RunningEmulator;
let host: string;
const clock = createManualClock(1_700_000_000_000);
const requestIds = new Set<string>();

beforeAll(async () => {
  emulator = await startEmulator({
    clock,
    scenario: fixtureOf<ScenarioInput>('scenario/error-codes'),
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

const form = (body: string): Options => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
});
const json = (body: string): Options => ({
  method: 'POST',
  headers: { 'x-tc-action': 'DescribeAccountQuota', 'content-type': 'application/json' },
  body,
});

interface Row {
  readonly code: string;
  readonly how: string;
  readonly quotas?: Query;
  readonly versions?: Query;
  readonly signed?: Readonly<Record<string, string>>;
}

const earned = fixtureOf<readonly Row[]>('emulator/error-codes');

/** The parameters of a row. The time of the emulator is a part of a signed request. */
const queryOfRow = ({ quotas, versions, signed: changes }: Row): Query => {
  if (changes !== undefined) return signed(changes);
  return versions === undefined ? { ...quotaQuery, ...quotas } : { ...versionsQuery, ...versions };
};

/** Requests that are no parameters alone, or too long to be written out. */
const others: readonly (readonly [code: string, how: string, query: Query, options?: Options])[] = [
  ['MissingParameter', 'no Action', { Version: '2017-03-12' }],
  ['MissingParameter', 'no Version', { Action: 'DescribeAccountQuota' }],
  ['MissingParameter', 'no Region', withoutRegion],
  ['UnknownParameter', 'a parameter without a name', { ...quotaQuery, '': 1 }],
  ['UnsupportedProtocol', 'PUT', quotaQuery, { method: 'PUT' }],
  ['UnsupportedProtocol', 'DELETE', quotaQuery, { method: 'DELETE' }],
  ['RequestSizeLimitExceeded', 'a query of 40 KB', { ...quotaQuery, Padding: 'a'.repeat(40_000) }],
  ['RequestSizeLimitExceeded', 'a query of 200 KB', { ...quotaQuery, Padding: 'a'.repeat(2e5) }],
  ['RequestSizeLimitExceeded', 'a form of 1 MB', quotaQuery, form('a'.repeat(1024 * 1024 + 1))],
  ['RequestSizeLimitExceeded', 'JSON of 10 MB', {}, json(' '.repeat(10 * 1024 * 1024 + 1))],
  ['InvalidRequest', 'a body that is no JSON', {}, json('{"Limit"')],
  ['NoSuchProduct', 'another host', quotaQuery, { headers: { host: 'cdb.tencentcloudapi.com' } }],
  [
    'InvalidParameterValue.LimitExceeded',
    'more than 100 version numbers',
    { ...versionsQuery, ...flat({ LaunchTemplateVersions: Array(101).fill(1) }) },
  ],
  [
    'InvalidFilterValue.LimitExceeded',
    'more than 10 filters',
    { ...quotaQuery, ...filters(...Array.from({ length: 11 }, () => ['zone', 'z'] as const)) },
  ],
];

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function expectCode(code: string, query: Query, options: Options = {}): Promise<void> {
  const asked = await get(query, options);

  expect(asked).toMatchObject({ status: 200, code });
  expect(asked.requestId).toMatch(uuid);
  expect(asked.message).toMatch(/\S/);
  expect(asked.response).toEqual({
    Error: { Code: code, Message: asked.message },
    RequestId: asked.requestId,
  });
}

test.each(earned)('$code is the answer to $how', async (row) => {
  await expectCode(row.code, queryOfRow(row));
});

test.each(others.map((row) => [row[0], row[1], row] as const))(
  '%s is the answer to %s',
  async (...[, , [code, , query, options]]) => {
    await expectCode(code, query, options);
  },
);

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
