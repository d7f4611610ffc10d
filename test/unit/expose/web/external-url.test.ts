import { describe, expect, it, onTestFinished, test } from 'vitest';
import {
  parseExternalUrl,
  parsePrefix,
  placeOf,
  type Place,
} from '../../../../src/expose/web/external-url.ts';
import { startWebServer } from '../../../../src/expose/web/server.ts';
import { FakeMonitor } from '../../../helpers/fake-monitor.ts';
import { sendRaw, statusesOf } from '../../../helpers/raw-connection.ts';

test.each([
  ['/', ''],
  ['', ''],
  ['/quota', '/quota'],
  ['quota/', '/quota'],
  ['//a/b//', '/a/b'],
  ['/a//b', null],
  ['/a?b', null],
  ['/a b', null],
])('the prefix %j is read as %j', (text, prefix) => {
  expect(parsePrefix(text)).toBe(prefix);
});

test.each([
  ['https://ops.example.com/quota/', undefined, 'https://ops.example.com', '/quota'],
  ['https://ops.example.com/quota', '', 'https://ops.example.com', ''],
  ['http://ops.example.com:8080', '/quota', 'http://ops.example.com:8080', '/quota'],
  ['http://ops.example.com:80/a/b/', undefined, 'http://ops.example.com', '/a/b'],
])('the external URL %s with the prefix %s', (text, prefix, origin, expected) => {
  const external = parseExternalUrl(text);

  expect(placeOf(external!, prefix)).toEqual({ origin, prefix: expected });
});

test.each([
  'ops.example.com',
  'ftp://a/',
  'https://a:b@c/',
  'https://a/?b',
  'https://a/#b',
  '"https://a"',
])('%s is no external URL', (text) => {
  expect(parseExternalUrl(text)).toBeNull();
});

async function start(place: Place): Promise<URL> {
  const server = await startWebServer(new FakeMonitor().app, {
    addresses: [{ host: '127.0.0.1', port: 0 }],
    place,
  });
  onTestFinished(() => server.close());
  return new URL(server.url);
}

describe('with a prefix', () => {
  const get = async (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, await start({ origin: null, prefix: '/quota' })), {
      redirect: 'manual',
      ...init,
    });

  it.each([
    '/quota/',
    '/quota/?account=a',
    '/quota/metrics',
    '/quota/metrics?a=b',
    '/quota/-/healthy',
    '/quota/-/ready',
    '/quota/api/v1/targets',
  ])('%s is answered', async (path) => {
    expect((await get(path)).status).toBe(200);
  });

  it.each(['/', '/quota'])('%s leads to the page', async (path) => {
    const { status, headers } = await get(path);

    expect([status, headers.get('location')]).toEqual([302, '/quota/']);
  });

  it.each(['/metrics', '/-/healthy', '/quotas/', '/quota/none', '/quota/quota/'])(
    '%s is not found',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  it('a request other than GET and HEAD leads nowhere', async () => {
    expect((await get('/', { method: 'POST' })).status).toBe(404);
    expect((await get('/quota/-/reload', { method: 'POST' })).status).toBe(200);
  });

  it('the whole URL may be sent, as for a proxy', async () => {
    const { origin } = await start({ origin: null, prefix: '/quota' });

    const received = await sendRaw(
      origin,
      'GET http://a/quota/metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );

    expect(statusesOf(received)).toEqual([200]);
  });
});

describe('our own page behind a proxy that replaces the host', () => {
  it.each([
    ['https://ops.example.com', 200],
    ['http://ops.example.com', 403],
    ['https://evil.example.com', 403],
  ])('is known by its external URL: %s', async (origin, status) => {
    const url = await start({ origin: 'https://ops.example.com', prefix: '' });

    const response = await fetch(new URL('/-/reload', url), {
      method: 'POST',
      headers: { Origin: origin },
    });

    expect(response.status).toBe(status);
  });
});
