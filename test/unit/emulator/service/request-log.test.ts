import { expect, test } from 'vitest';
import { createEmulator } from '../../../../src/emulator/emulator.ts';
import { ask, quotaQuery, send } from '../../../support/ask.ts';
import { tc3Headers, v1Signed } from '../../../support/sign.ts';

const host = 'cvm.tencentcloudapi.com';
const keys = [{ secret_id: 'example-id', secret_key: 'example-key' }];
const scenario = { accounts: [{ name: 'a', keys, regions: [{ name: 'ap-guangzhou' }] }] };
const now = () => Math.floor(Date.now() / 1000);

test.each([
  ['HmacSHA256', { SignatureMethod: 'HmacSHA256' }],
  ['HmacSHA1', {}],
])('a request is logged with its signing, %s', async (signing, method) => {
  const emulator = await createEmulator({ scenario });
  const parameters = { ...quotaQuery, SecretId: 'example-id', Timestamp: `${now()}`, Nonce: '1' };

  ask(emulator, v1Signed({ ...parameters, ...method }, { host, secretKey: 'example-key' }));

  expect(emulator.requests.list()).toMatchObject([
    { signing, secret_id: 'example-id', host, status: 200, code: null },
  ]);
});

test('a request with TC3-HMAC-SHA256 is logged without what is secret', async () => {
  const emulator = await createEmulator({ scenario });
  const headers = tc3Headers({
    host,
    secretId: 'example-id',
    secretKey: 'example-key',
    timestamp: now(),
    action: 'DescribeAccountQuota',
  });
  const signature = /Signature=([0-9a-f]{64})/.exec(headers.authorization ?? '')?.[1];

  send(emulator, { headers: { ...headers, 'x-tc-token': 'secret-token', cookie: 'secret' } });

  const [request] = emulator.requests.list();
  expect(request).toMatchObject({
    signing: 'TC3-HMAC-SHA256',
    secret_id: 'example-id',
    headers: {
      authorization: 'TC3-HMAC-SHA256 ***',
      'x-tc-action': 'DescribeAccountQuota',
      'x-tc-token': '***',
      cookie: '***',
    },
  });
  expect(JSON.stringify(request)).not.toMatch(new RegExp(`secret-token|${signature!}`));
});

test('an unsigned request is logged as such, without the password of a stray Authorization', async () => {
  const emulator = await createEmulator();

  ask(emulator, quotaQuery, { authorization: 'Basic dTpw' });

  expect(emulator.requests.list()).toMatchObject([
    { signing: null, secret_id: null, headers: { authorization: 'Basic ***' } },
  ]);
});

test('the status of a fault is logged, or that there was no answer', async () => {
  const emulator = await createEmulator();

  for (const fault of [{ effect: 'http-status', status: 502 }, { effect: 'hang' }] as const) {
    emulator.faults.add({ ...fault, count: 1 });
    emulator.handle({ method: 'GET', target: '/', headers: {} });
  }

  expect(emulator.requests.list().map(({ status }) => status)).toEqual([502, null]);
});

test('an entry of the timeline that fails is written to the log', async () => {
  const lines: [string, object][] = [];
  const [region, zone] = ['ap-guangzhou', 'ap-guangzhou-3'];
  const emulator = await createEmulator({
    log: { debug: () => undefined, warn: (message, fields) => lines.push([message, fields]) },
    scenario: {
      accounts: [{ name: 'a', regions: [{ name: region, zones: [{ name: zone }] }] }],
      timeline: [{ at: '1s', do: 'remove-zone', region, zone }],
    },
  });
  emulator.do({ do: 'remove-zone', region, zone });

  emulator.advance('2000ms');

  expect(emulator.state.changes.total).toBe(1);
  expect(lines).toEqual([
    [
      'an entry of the timeline was skipped',
      { entry: 0, do: 'remove-zone', reason: 'zone: ap-guangzhou has no zone ap-guangzhou-3' },
    ],
  ]);
});
