/** Answers many requests in one emulator, and compares its memory with that after the first ones. */
import { expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { EmulatorRequest } from '../../src/emulator/protocol/message.ts';
import { heapBytes } from '../support/heap.ts';
import { tc3Headers } from '../support/sign.ts';

const host = 'cvm.tencentcloudapi.com';
const region = 'ap-guangzhou';
const key = { secretId: 'example-id', secretKey: 'example-key' };
const query = `Action=DescribeAccountQuota&Version=2017-03-12&Region=${region}`;

/** The log of requests keeps 10,000, so the memory is complete after that. */
const earlyRequests = 50_000;

/** Requests that are answered, and requests that are refused. Each one is new in some part. */
function requestOf(count: number, signed: Readonly<Record<string, string>>): EmulatorRequest {
  const headers = { host, 'user-agent': `client/${count}` };
  switch (count % 4) {
    case 0:
      return { method: 'GET', target: '/', headers: { ...signed, 'x-request': `${count}` } };
    case 1:
      return { method: 'GET', target: `/?${query}`, headers };
    case 2:
      return { method: 'GET', target: `/?Action=Unknown${count}&Version=2017-03-12`, headers };
    default:
      return { method: 'GET', target: `/?${query}&SecretId=unknown-${count}`, headers };
  }
}

test(
  '1,000,000 requests to the emulator take no more memory than the first 50,000',
  { timeout: 600_000 },
  async () => {
    const regions = [{ name: region, zones: [{ name: `${region}-3` }] }];
    const keys = [{ secret_id: key.secretId, secret_key: key.secretKey }];
    const emulator = await createEmulator({
      scenario: {
        requests_per_second: 1_000_000,
        accounts: [
          { name: 'unsigned', regions },
          { name: 'signed', regions, keys },
        ],
      },
    });
    const codes = new Set<string | null>();
    const askUntil = (end: number) => {
      for (let count = emulator.requests.total; count < end; count += 1000) {
        const timestamp = Math.floor(Date.now() / 1000);
        const signed = tc3Headers({ ...key, host, timestamp, action: 'DescribeAccountQuota' });
        for (let i = 0; i < 1000; i += 1) emulator.handle(requestOf(count + i, signed));
        for (const { code } of emulator.requests.list().slice(-4)) codes.add(code);
      }
    };

    askUntil(earlyRequests);
    const earlyBytes = heapBytes();
    askUntil(1_000_000);

    expect(heapBytes() / earlyBytes).toBeLessThan(1.05);
    expect(emulator.requests.total).toBe(1_000_000);
    expect([...codes]).toEqual([null, 'InvalidAction', 'MissingParameter']);
  },
);
