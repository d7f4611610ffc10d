/** Whatever bytes are sent to the emulator, it answers an envelope, soon, or closes the connection. */
import { connect } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filters } from '../../support/answer-rows.ts';
import { queryOf, quotaQuery, versionsQuery } from '../../support/ask.ts';
import { fuzz, fuzzTimeoutMs } from '../../support/fuzz.ts';
import { emulate } from '../../support/emulator.ts';
import { mutatedText } from '../../support/mutations.ts';
import { sampleScenario } from '../../support/sample-scenario.ts';

/** Most are right, so that what is wrong elsewhere is met. */
const mostly = (...samples: readonly string[]) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...samples) },
    mutatedText(samples, [
      ...['&', '=', '%', '%zz', '+', '\u0000', '\r\n', ': ', '{', '[', '"', 'null', 'true', '-1'],
      ...['0x10', 'LaunchTemplateVersions.x=', 'Filters.0.Values='],
      ...['"__proto__":', '"constructor":', '1e400', '99999999999999999999'],
      ...['content-length: -1', 'transfer-encoding: chunked', 'host: b', 'Action=DescribeZones'],
    ]),
  );

const queries = [
  queryOf({
    ...quotaQuery,
    ...filters(['zone', 'ap-guangzhou-3'], ['quota-type', 'SpotPaidQuotaSet']),
  }),
  queryOf({ ...versionsQuery, Limit: 10, Offset: 1, DefaultVersion: true }),
  queryOf({ ...versionsQuery, 'LaunchTemplateVersions.0': 1, SignatureMethod: 'HmacSHA256' }),
  queryOf({ ...quotaQuery, SecretId: 'example-id', Timestamp: 1, Nonce: 1, Signature: 'AAAA' }),
  'x'.repeat(40_000),
];

test(
  'any request to the emulator is answered with an envelope, or its connection is closed',
  { timeout: fuzzTimeoutMs },
  async () => {
    const emulator = await emulate({
      scenario: {
        requests_per_second: 1_000_000,
        accounts: [
          ...sampleScenario.accounts,
          {
            name: 'keyed',
            keys: [{ secret_id: 'example-id', secret_key: 'example-key' }],
            regions: [{ name: 'ap-guangzhou' }],
          },
        ],
      },
    });
    const pair = fc
      .tuple(
        fc.constantFrom(
          ...['Action', 'Region', 'SignatureMethod', 'LaunchTemplateId', 'Limit', 'DefaultVersion'],
          ...['LaunchTemplateVersions.0', 'LaunchTemplateVersions', 'Filters', 'Filters.0.Name'],
          ...['Filters.0.Values.0', 'Filters.9999999999.Name', '__proto__.polluted', 'constructor'],
          ...['a.b.c.d.e.f.g', ''],
        ),
        fc.oneof(
          fc.constantFrom(
            ...['DescribeLaunchTemplates', 'ap-guangzhou', 'lt-b8v1kcyq', 'zone', 'true', 'null'],
            ...['PostPaidQuotaSet', '1', '-1', '1e400', '99999999999999999999', '0x10', '%'],
            ...['\u0000', 'x'.repeat(9_000)],
          ),
          fc.string({ unit: 'grapheme' }),
        ),
      )
      .map(([name, value]) => `&${name}=${encodeURIComponent(value)}`);
    const common = 'x-tc-version: 2017-03-12\r\nx-tc-region: ap-guangzhou\r\n';
    const request = fc
      .record({
        method: fc.constantFrom('GET', 'GET', 'GET', 'POST', 'POST', 'PUT', 'OPTIONS', 'nonsense'),
        path: fc.constantFrom('/', '/', '/', '/x', '//', '/..', '/%00', '*', 'http://x/', ''),
        query: mostly(...queries),
        pairs: fc.array(pair, { maxLength: 4 }),
        host: fc.constantFrom(
          ...['cvm.tencentcloudapi.com', 'vpc.tencentcloudapi.com', 'x', '1:99999', '.'],
        ),
        headers: mostly(
          'content-type: application/x-www-form-urlencoded\r\n',
          `content-type: application/json\r\nx-tc-action: DescribeAccountQuota\r\n${common}`,
          `x-tc-action: DescribeLaunchTemplates\r\nx-tc-timestamp: 1\r\nx-tc-token: a\r\n${common}`,
          `authorization: TC3-HMAC-SHA256 Credential=example-id/2023-11-14/cvm/tc3_request, SignedHeaders=content-type;host, Signature=${'0'.repeat(64)}\r\n`,
          'expect: 100-continue\r\nconnection: Upgrade\r\nupgrade: websocket\r\n',
          `x: ${'x'.repeat(200_000)}\r\n`,
        ),
        body: fc.oneof(
          {
            weight: 50,
            arbitrary: mostly(
              '',
              ...queries,
              '{"Filters":[{"Name":"zone","Values":["ap-guangzhou-3"]}],"Limit":10}',
              '{"LaunchTemplateId":"lt-b8v1kcyq","LaunchTemplateVersions":[1],"DefaultVersion":true}',
              '['.repeat(50_000),
              '{"Filters":['.repeat(20_000),
            ),
          },
          // Sending it takes longer than all else.
          { weight: 1, arbitrary: mostly('a'.repeat(2_000_000)) },
        ),
      })
      .map(({ method, path, query, pairs, host, headers, body }) => {
        const length = `content-length: ${Buffer.byteLength(body)}\r\n`;
        return `${method} ${path}?${query}${pairs.join('')} HTTP/1.1\r\nhost: ${host}\r\n${headers}${length}\r\n${body}`;
      });

    let envelopes = 0;
    await fuzz(request, 10_000, async (sent) => {
      const received = await exchange(emulator.url, sent);
      if (received === '') return;
      const [head = '', text = ''] = received
        .replace(/^HTTP\/1.1 100.*\r\n\r\n/, '')
        .split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 (200|400|431) /);
      if (!head.startsWith('HTTP/1.1 200')) return;
      const { Response: response, ...others } = JSON.parse(text);
      expect(others).toEqual({});
      expect(response.RequestId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(response.Error?.Code ?? 'none').not.toMatch(/^Internal/);
      envelopes += 1;
    });
    expect(envelopes).toBeGreaterThan(10);
  },
);

/** Sends a request, ends the connection, and gives back what came until the other side ended it too. */
function exchange(url: string, sent: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.end(sent));
    socket.setTimeout(5_000, () => {
      socket.destroy(new Error(`no end after ${JSON.stringify(sent.slice(0, 2_000))}`));
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
