import { request, type IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startWebServer } from '../../../../src/expose/web/server.ts';
import { FakeMonitor, quotaTarget } from '../../../helpers/fake-monitor.ts';
import { serveForAllTests } from '../../../helpers/served-app.ts';

const paths = [
  '/',
  '/metrics',
  '/metrics?x=1',
  '/-/healthy',
  '/-/ready',
  '/api/v1/quotas',
  '/api/v1/targets',
  '/api/v1/changes',
] as const;

const monitor = new FakeMonitor(quotaTarget('production', 'ap-guangzhou'));
const server = serveForAllTests(monitor.app);

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function send(method: string, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(server.url + path, { method, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('end', () => {
        const headers = { ...response.headers };
        delete headers.date;
        resolve({ status: response.statusCode!, headers, body });
      });
    })
      .on('error', reject)
      .end();
  });
}

describe.each(paths)('%s', (path) => {
  test('answers HEAD with the status and every header of GET, and no body', async () => {
    const get = await send('GET', path);
    const head = await send('HEAD', path);

    expect(get.status).toBe(200);
    expect(head.status).toBe(200);
    expect(head.body).toBe('');
    expect(Number(head.headers['content-length'])).toBe(Buffer.byteLength(get.body));
    expect(head.headers).toEqual(get.headers);
  });

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('refuses %s', async (method) => {
    const { status, headers } = await send(method, path);

    expect(status).toBe(405);
    expect(headers.allow).toBe('GET, HEAD');
  });

  test('is neither sniffed nor kept by anybody', async () => {
    const { headers } = await send('GET', path);

    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBe('no-store');
  });
});

test('a list of unknown length answers HEAD without a length', async () => {
  const { status, headers, body } = await send('HEAD', '/api/v1/quotas?format=csv');

  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(headers['content-length']).toBeUndefined();
  expect(body).toBe('');
});

describe('a path that does not exist', () => {
  test.each(['/nothing', '/metrics/', '/api/v1', '/api/v1/targets/1', '/-/', '/favicon.ico'])(
    'is not found: %s',
    async (path) => {
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
        expect((await send(method, path)).status).toBe(404);
      }
    },
  );
});

describe('/-/reload', () => {
  test('takes POST and nothing else', async () => {
    expect(await send('POST', '/-/reload')).toMatchObject({ status: 200, body: 'reloaded\n' });
    for (const method of ['GET', 'HEAD', 'PUT', 'OPTIONS']) {
      const { status, headers } = await send(method, '/-/reload');
      expect(status).toBe(405);
      expect(headers.allow).toBe('POST');
    }
  });

  test('says why the configuration was refused', async () => {
    monitor.reloadResult = { ok: false, reason: 'config.yaml:3:1: pol: unknown key' };

    const answer = await send('POST', '/-/reload');

    expect(answer).toMatchObject({ status: 500, body: 'config.yaml:3:1: pol: unknown key\n' });
  });
});

describe('/-/ready', () => {
  test('is 503 and counts the targets not yet attempted until all were', async () => {
    monitor.readiness = { isReady: false, attempted: 5, targets: 8 };
    const before = await send('GET', '/-/ready');
    monitor.readiness = { isReady: true, attempted: 8, targets: 8 };
    const after = await send('GET', '/-/ready');

    expect(before.status).toBe(503);
    expect(before.body).toBe('not ready: 3 of 8 targets not yet attempted\n');
    expect(after.status).toBe(200);
    expect(after.body).toBe('ready: all 8 targets attempted\n');
  });

  test('tells of a storage problem, which does not prevent scrapes', async () => {
    monitor.storageProblem = 'ENOSPC: no space left on device';

    const { status, body } = await send('GET', '/-/ready');

    expect(status).toBe(200);
    expect(body).toContain('records cannot be stored: ENOSPC: no space left on device\n');
  });
});

test('/-/healthy is healthy for as long as anybody answers', async () => {
  expect(await send('GET', '/-/healthy')).toMatchObject({ status: 200, body: 'healthy\n' });
});

test.each([
  ['/', 'staleAfterMs'],
  ['/-/ready', 'readiness'],
  ['/metrics', 'staleAfterMs'],
  ['/metrics?x', 'staleAfterMs'],
] as const)('a fault of ours at %s is answered with 500 and reported', async (path, broken) => {
  const fault = new Error('a fault of ours');
  const broke = new FakeMonitor(quotaTarget('production', 'ap-guangzhou'));
  Object.defineProperty(broke, broken, {
    get: () => {
      throw fault;
    },
  });
  const web = await startWebServer(broke.app, { addresses: [{ host: '127.0.0.1', port: 0 }] });

  const { status } = await fetch(web.url + path);

  expect(status).toBe(500);
  expect(broke.failures).toEqual([{ error: fault, path: path.split('?')[0] }]);
  await web.close();
});
