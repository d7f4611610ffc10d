/** Whatever is sent to the emulator, it answers an envelope, soon, and keeps nothing that grows. */
import { connect } from 'node:net';
import fc from 'fast-check';
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  startEmulator,
  type RunningEmulator,
  type ScenarioInput,
} from '../../../src/emulator/emulator.ts';
import { commonNames } from '../../../src/emulator/protocol/message.ts';
import { sampleScenario } from '../../support/sample-scenario.ts';
import { queryOf, quotaQuery, versionsQuery } from '../../support/ask.ts';
import { runsOfTier } from '../../support/fuzz.ts';

const batchSize = 40;
const batches = Math.ceil(runsOfTier(10_000) / batchSize);
const timeLimitMs = 100_000;
const bound = fc.interruptAfterTimeLimit(timeLimitMs, { failOnInterrupt: true });

const scenario: ScenarioInput = {
  requests_per_second: 1_000_000,
  accounts: [
    ...sampleScenario.accounts,
    {
      name: 'keyed',
      keys: [{ secret_id: 'example-id', secret_key: 'example-key' }],
      regions: [{ name: 'ap-guangzhou' }],
    },
  ],
};

vi.setConfig({ testTimeout: timeLimitMs + 10_000 });

let emulator: RunningEmulator;
let pool: Pool;

beforeAll(async () => {
  emulator = await startEmulator({ scenario });
  pool = new Pool(emulator.url, {
    connections: batchSize,
    bodyTimeout: 5_000,
    headersTimeout: 5_000,
  });
});

afterAll(async () => {
  await pool.destroy();
  await emulator.close();
});

const name = fc.oneof(
  fc.constantFrom(
    ...commonNames,
    'LaunchTemplateId',
    'LaunchTemplateVersions.0',
    'LaunchTemplateVersions.x',
    'LaunchTemplateVersions',
    'MinVersion',
    'MaxVersion',
    'Offset',
    'Limit',
    'DefaultVersion',
    'Filters',
    'Filters.0.Name',
    'Filters.0.Values.0',
    'Filters.0.Values',
    'Filters.9999999999.Name',
    '__proto__.polluted',
    'constructor',
    'a.b.c.d.e.f.g.h.i.j',
    '',
    '.',
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
);

const value = fc.oneof(
  fc.constantFrom(
    'DescribeAccountQuota',
    'DescribeLaunchTemplateVersions',
    'DescribeLaunchTemplates',
    '2017-03-12',
    'ap-guangzhou',
    'ap-guangzhou-3',
    'lt-b8v1kcyq',
    'zone',
    'quota-type',
    'PostPaidQuotaSet',
    'example-id',
    'HmacSHA256',
    'true',
    'null',
    '1',
    '-1',
    '1e400',
    '99999999999999999999',
    '0x10',
    '%',
    '\u0000',
  ),
  fc.integer().map(String),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.integer({ min: 1_000, max: 40_000 }).map((length) => 'x'.repeat(length)),
);

/** A good request with parameters dropped, replaced and added, some of them twice. */
const parameters = fc
  .record({
    base: fc.constantFrom<Readonly<Record<string, string>>>(quotaQuery, versionsQuery, {}),
    dropped: fc.array(fc.nat(4), { maxLength: 2 }),
    added: fc.array(fc.tuple(name, value), { maxLength: 6 }),
  })
  .map(({ base, dropped, added }) => [
    ...Object.entries(base).filter((_, index) => !dropped.includes(index)),
    ...added,
  ]);

const headerText = fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e\xa0-\xff]{0,80}[\x21-\x7e])?$/);
const headers = fc.dictionary(
  fc.constantFrom(
    'authorization',
    'x-tc-action',
    'x-tc-version',
    'x-tc-region',
    'x-tc-timestamp',
    'x-tc-token',
    'x-tc-content-sha256',
    'content-type',
    'x-forwarded-for',
    'cookie',
    '__proto__',
  ),
  fc.oneof(
    headerText,
    fc.constantFrom(
      'DescribeAccountQuota',
      '2017-03-12',
      'ap-guangzhou',
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'TC3-HMAC-SHA256 Credential=example-id/2023-11-14/cvm/tc3_request, SignedHeaders=content-type;host;__proto__, Signature=' +
        '0'.repeat(64),
      'x'.repeat(20_000),
    ),
  ),
  { maxKeys: 6 },
);

/** A text and how often it is repeated, so that a counterexample stays readable. */
const body = fc.oneof(
  fc.tuple(fc.json(), fc.constant(1)),
  fc.tuple(fc.string({ unit: 'binary', maxLength: 200 }), fc.constant(1)),
  fc.tuple(
    parameters.map((pairs) => new URLSearchParams(pairs).toString()),
    fc.constant(1),
  ),
  fc.constantFrom<[string, number]>(['[', 50_000], ['{"Filters":[', 20_000], ['a', 2_000_000]),
);

const request = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'POST', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
  path: fc.constantFrom('/', '/', '/', '/', '/', '/x', '//', '/..', '/%00'),
  parameters,
  encoded: fc.boolean(),
  host: fc.constantFrom('cvm.tencentcloudapi.com', 'vpc.tencentcloudapi.com', 'x', '1:99999', '.'),
  headers,
  body,
});
type FuzzRequest = typeof request extends fc.Arbitrary<infer T> ? T : never;

let answered = 0;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function expectEnvelope(status: number, text: string): void {
  const { Response: response, ...others } = JSON.parse(text);
  expect([status, others]).toEqual([200, {}]);
  expect(response.RequestId).toMatch(uuid);
  expect(response.Error?.Code ?? 'none').not.toMatch(/^Internal/);
}

async function send(fuzzed: FuzzRequest): Promise<void> {
  const query = fuzzed.encoded
    ? queryOf(Object.fromEntries(fuzzed.parameters))
    : new URLSearchParams(fuzzed.parameters).toString().replaceAll('%2', '%zz').slice(0, 60_000);
  const hasBody = fuzzed.method === 'POST' || fuzzed.method === 'PUT' || fuzzed.method === 'PATCH';
  const answer = await pool.request({
    method: fuzzed.method,
    path: `${fuzzed.path}?${query}`,
    headers: { ...fuzzed.headers, host: fuzzed.host },
    ...(hasBody ? { body: fuzzed.body[0].repeat(fuzzed.body[1]) } : {}),
  });
  expectEnvelope(answer.statusCode, await answer.body.text());
  answered += 1;
}

test(`${batches * batchSize} hostile requests each get an envelope`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: batchSize, maxLength: batchSize }),
      async (batch) => {
        await Promise.all(batch.map(send));
      },
    ),
    {
      numRuns: batches,
      endOnFailure: true,
      plugins: [bound],
    },
  );
  expect(answered).toBe(batches * batchSize);
});

test('bytes that are no HTTP get an envelope or a closed connection, and hang nothing', async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
    fc
      .tuple(
        fc.constantFrom('GET', 'POST', 'CONNECT', 'nonsense', ''),
        fc.constantFrom('/', '*', 'http://x/', 'x:443', '/ /'),
        fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', ''),
        fc.constantFrom(
          '',
          'Host: a\r\nHost: b',
          'Content-Length: -1',
          'Content-Length: 5\r\nTransfer-Encoding: chunked',
          'Expect: something',
          'Expect: 100-continue',
          'Connection: Upgrade\r\nUpgrade: websocket',
          ': no name',
          `X: ${'x'.repeat(200_000)}`,
        ),
      )
      .map(([method, target, version, header]) =>
        Buffer.from(`${method} ${target} ${version}\r\n${header}\r\n\r\n`),
      ),
  );

  await fc.assert(
    fc.asyncProperty(bytes, async (sent) => {
      const received = await exchange(sent);
      if (received === '') return;
      const [head = '', text = ''] = received
        .replace(/^HTTP\/1.1 100.*\r\n\r\n/, '')
        .split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 (200|400|431) /);
      if (head.startsWith('HTTP/1.1 200')) expectEnvelope(200, text);
    }),
    {
      numRuns: runsOfTier(400),
      endOnFailure: true,
      plugins: [bound],
    },
  );
});

/** Sends bytes, ends the connection, and gives back what came until the other side ended it too. */
function exchange(sent: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(new URL(emulator.url).port), '127.0.0.1', () => socket.end(sent));
    socket.setTimeout(5_000, () => {
      socket.destroy(new Error(`no end after ${JSON.stringify(sent.toString())}`));
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve('');
      else reject(error);
    });
    socket.on('close', () => {
      resolve(Buffer.concat(chunks).toString());
    });
  });
}
