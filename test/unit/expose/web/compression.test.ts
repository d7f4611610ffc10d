import { request, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { FakeMonitor, quotaTarget } from '../../../helpers/fake-monitor.ts';
import { serveForAllTests } from '../../../helpers/served-app.ts';

const regions = Array.from({ length: 20 }, (_, i) => quotaTarget('production', `ap-r${i}`));
const server = serveForAllTests(new FakeMonitor(...regions).app);

function send(path: string, accepted: string, method = 'GET') {
  return new Promise<{ headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    const headers = { 'Accept-Encoding': accepted };
    request(server.url + path, { method, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        resolve({ headers: response.headers, body: Buffer.concat(parts) });
      });
    })
      .on('error', reject)
      .end();
  });
}

test.each(['/', '/api/v1/targets'])('%s is compressed when accepted', async (path) => {
  const plain = await send(path, 'identity');
  const { headers, body } = await send(path, 'br, gzip;q=0.5');

  expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  expect(Number(headers['content-length'])).toBe(body.length);
  expect(body.length).toBeLessThan(plain.body.length / 2);
  expect(gunzipSync(body).length).toBe(plain.body.length);
  const head = await send(path, 'gzip', 'HEAD');
  expect({ ...head.headers, date: '' }).toEqual({ ...headers, date: '' });
});

test.each(['identity', 'gzip;q=0', 'br', ''])(
  'nothing is compressed for a client that accepts %j',
  async (accepted) => {
    const { headers, body } = await send('/api/v1/targets', accepted);

    expect(headers['content-encoding']).toBeUndefined();
    expect(headers.vary).toBe('Accept-Encoding');
    expect(JSON.parse(body.toString())).toHaveProperty('targets');
  },
);

test.each(['/-/healthy', '/api/v1/changes'])('short answers stay as they are: %s', async (path) => {
  const { headers } = await send(path, 'gzip');

  expect(headers['content-encoding']).toBeUndefined();
});

test('metrics are compressed once', async () => {
  const { headers, body } = await send('/metrics', 'gzip');

  expect(headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(body).toString()).toContain('cvm_monitor_target_up');
});
