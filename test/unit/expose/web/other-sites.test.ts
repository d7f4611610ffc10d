import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { FakeMonitor, quotaTarget } from '../../../helpers/fake-monitor.ts';
import { serveForAllTests } from '../../../helpers/served-app.ts';

const monitor = new FakeMonitor(quotaTarget('production', 'ap-guangzhou'));
const server = serveForAllTests(monitor.app);

function status(method: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    request(server.url + path, { method, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on('error', reject)
      .end();
  });
}

const link = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
};

describe.each([
  ['GET', '/'],
  ['GET', '/metrics'],
  ['GET', '/metrics?x=1'],
  ['GET', '/api/v1/targets'],
  ['GET', '/-/healthy'],
  ['POST', '/-/reload'],
])('%s %s', (method, path) => {
  test.each<[string, Record<string, string>]>([
    ['a foreign origin', { Origin: 'https://evil.example' }],
    ['a foreign origin of the same scheme and another port', { Origin: 'http://127.0.0.1:1' }],
    ['an origin that is hidden', { Origin: 'null' }],
    ['a page of another site', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }],
    ['a frame of another site', { ...link, 'Sec-Fetch-Dest': 'iframe' }],
  ])('is refused to %s', async (_whom, headers) => {
    expect(await status(method, path, headers)).toBe(403);
  });

  test.each<[string, Record<string, string>]>([
    ['a program', {}],
    ['our own page', { 'Sec-Fetch-Site': 'same-origin' }],
    ['an address that was typed in', { ...link, 'Sec-Fetch-Site': 'none' }],
    ['our own page behind a proxy', { Origin: 'https://quota.example', Host: 'quota.example' }],
    ['a proxy that names the port', { Origin: 'https://quota.example', Host: 'quota.example:443' }],
  ])('is answered to %s', async (_whom, headers) => {
    expect(await status(method, path, headers)).toBe(200);
  });
});

test('a link of another site opens a page, and nothing else', async () => {
  expect(await status('GET', '/', link)).toBe(200);
  expect(await status('GET', '/metrics', link)).toBe(200);
  expect(await status('POST', '/-/reload', link)).toBe(403);
});

test('a reload is refused with 403, and says how to enable it, unless it is enabled', async () => {
  monitor.isLifecycleEnabled = false;

  expect(await status('POST', '/-/reload', {})).toBe(403);
  expect(await status('GET', '/-/reload', {})).toBe(405);
  monitor.isLifecycleEnabled = true;
});
