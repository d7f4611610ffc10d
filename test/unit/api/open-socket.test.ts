/** The ways to an endpoint: proxies, authorities, addresses. Every service here is the emulator. */
import dns from 'node:dns';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Routes, type RouteSettings } from '../../../src/api/routes.ts';
import { startEmulator, type ServeOptions } from '../../../src/emulator/emulator.ts';
import { makeCertificate, startTlsEmulator, type MadeCertificate } from '../../support/tls.ts';
import { observedClient, quotaTarget, unbounded } from '../../helpers/api-client.ts';
import { startConnectProxy, type ConnectProxy } from '../../helpers/connect-proxy.ts';
import { startDeadHost } from '../../helpers/dead-host.ts';
import { leaks } from '../../helpers/leaks.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const names = ['cvm.ap-guangzhou', 'cvm.internal'].map((name) => `${name}.tencentcloudapi.com`);
const certificate = makeCertificate([...names, 'proxy.example.com', '127.0.0.1', '::1']);
const authorities = [certificate.authority];

async function service({ tls, ...options }: ServeOptions & { tls?: MadeCertificate } = {}) {
  const emulator = await (tls === undefined
    ? startEmulator(options)
    : startTlsEmulator(tls, options));
  onTestFinished(emulator.close);
  return { emulator, url: emulator.url, port: Number(new URL(emulator.url).port) };
}

interface Way extends Partial<RouteSettings> {
  readonly env?: Record<string, string>;
  readonly timeoutMs?: number;
}

function clientOf(endpoint: string, { env = {}, timeoutMs = 5_000, ...settings }: Way) {
  const routes = new Routes(env);
  const client = observedClient(endpoint, { routes, timeoutMs, maxAttempts: 1 });
  const configure = (changed: Partial<RouteSettings>) => {
    routes.configure({ proxy: 'environment', authorities: [], ...changed });
    client.configure({});
  };
  configure(settings);
  onTestFinished(client.close);
  return { ...client, configure, ask: () => client.poll(quotaTarget(), unbounded()) };
}

/** Polls once. */
const ask = (endpoint: string, way: Way = {}) => clientOf(endpoint, way).ask();

/** The names of the service are looked up by the proxy only. */
function resolve(addresses: Readonly<Record<string, readonly string[]>>): void {
  type Done = (error: Error | null, found?: { address: string; family: number }[]) => void;
  vi.spyOn(dns, 'lookup').mockImplementation(((host: string, _options: object, done: Done) => {
    const found = addresses[host]?.map((address) => {
      return { address, family: address.includes(':') ? 6 : 4 };
    });
    if (found === undefined) done(new Error(`getaddrinfo ENOTFOUND ${host}`));
    else done(null, found);
  }) as never);
}

describe('a proxy', () => {
  it.each(names)('gets a tunnel to https://%s, and looks its name up', async (name) => {
    const { emulator, port } = await service({ tls: certificate });
    const proxy = await startConnectProxy({ port });
    resolve({});

    await ask(`https://${name}`, { proxy: proxy.url, authorities });

    expect(proxy.requests).toEqual([{ target: `${name}:443`, authorization: undefined }]);
    expect(emulator.requests.list().map(({ host }) => host)).toEqual([name]);
  });

  it('gets a tunnel to an http endpoint too', async () => {
    const { emulator, port } = await service();
    const proxy = await startConnectProxy({ port });

    await ask('http://cvm.example', { env: { HTTP_PROXY: proxy.url } });

    expect(proxy.requests).toMatchObject([{ target: 'cvm.example:80' }]);
    expect(emulator.requests.list().map(({ host }) => host)).toEqual(['cvm.example']);
  });

  it('gets the user and the password of its variable, and the service does not', async () => {
    const { emulator, port } = await service();
    const proxy = await startConnectProxy({ port });
    const url = proxy.url.replace('http://', 'http://user:p%40ss@');

    await ask('http://cvm.example', { env: { HTTP_PROXY: url } });

    const authorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(proxy.requests).toMatchObject([{ authorization }]);
    expect(emulator.requests.list()[0]!.headers).not.toHaveProperty('proxy-authorization');
  });

  it('that speaks TLS is asked with TLS, and must have a certificate of its own name', async () => {
    const { port } = await service({ tls: certificate });
    const proxy = await startConnectProxy({ port, tls: certificate });
    resolve({ 'proxy.example.com': ['127.0.0.1'], 'other.example.com': ['127.0.0.1'] });
    const through = (host: string) =>
      ask(`https://${names[0]!}`, {
        proxy: proxy.url.replace('127.0.0.1', host),
        authorities,
      });

    await through('proxy.example.com');

    expect(proxy.requests).toHaveLength(1);
    await expect(through('other.example.com')).rejects.toMatchObject({
      code: 'NetworkError',
      message: expect.stringMatching(/proxy other\.example\.com:\d+: .*altnames/),
    });
  });

  it('with an IPv6 address gets a tunnel to an IPv6 address', async () => {
    const { port } = await service({ tls: certificate });
    const proxy = await startConnectProxy({ port, host: '::1' });

    await ask('https://[::1]:8443', { proxy: proxy.url, authorities });

    expect(proxy.requests).toMatchObject([{ target: '[::1]:8443' }]);
  });

  it('is not asked for hosts in NO_PROXY', async () => {
    const { emulator, url } = await service();
    const proxy = await startConnectProxy();

    await ask(url, { env: { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.0/8' } });

    expect(proxy.requests).toEqual([]);
    expect(emulator.requests.list()).toHaveLength(1);
  });

  it('has one tunnel for requests one after the other, which closes with the client', async () => {
    const { port } = await service({ tls: certificate });
    const proxy = await startConnectProxy({ port, tls: certificate });
    const client = clientOf(`https://${names[0]!}`, { proxy: proxy.url, authorities });

    for (let i = 0; i < 5; i += 1) await client.ask();
    expect(proxy.requests).toHaveLength(1);
    expect(proxy.open()).toBe(1);
    await client.close();

    await expect.poll(proxy.open).toBe(0);
  });

  const user = 'proxy-user-MARKER';
  const password = 'proxy-password-MARKER';

  it.each<[string, NonNullable<ConnectProxy['misbehave']>, string, string]>([
    [
      'wants another password',
      (socket) => socket.end('HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nno'),
      'NetworkError',
      'HTTP status 407; write the user name and the password',
    ],
    [
      'refuses the password with another status',
      (socket) => socket.end('HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno'),
      'NetworkError',
      'HTTP status 401; write the user name and the password',
    ],
    [
      'cannot reach the host',
      (socket, { authorization }) => socket.end(`HTTP/1.1 502 ${authorization}\r\n\r\n`),
      'NetworkError',
      'HTTP status 502',
    ],
    ['hangs up', (socket) => socket.destroy(), 'NetworkError', ''],
    ['says nothing', () => undefined, 'Timeout', 'within 500 ms'],
    [
      'begins to answer',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nX-Part: '),
      'Timeout',
      'within 500 ms',
    ],
    [
      'speaks no HTTP',
      (socket, { authorization }) => socket.end(`SSH-2.0 ${authorization} ${password}\r\n`),
      'NetworkError',
      '',
    ],
    [
      'gives a tunnel that ends nowhere',
      (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'),
      'NetworkError',
      '',
    ],
  ])(
    'that %s fails the request, which names it without its password',
    async (_what, misbehave, code, text) => {
      const proxy = await startConnectProxy();
      proxy.misbehave = misbehave;
      const { host } = new URL(proxy.url);
      const env = { HTTPS_PROXY: `http://${user}:${password}@${host}` };

      const error: unknown = await ask(`https://${names[0]!}`, { env, timeoutMs: 500 }).catch(
        (caught: unknown) => caught,
      );

      expect(proxy.requests).toHaveLength(1);
      expect(error).toMatchObject({ code, message: expect.stringContaining(text) });
      expect(error).toHaveProperty('message', expect.stringContaining(`proxy ${host}`));
      const everything = inspect(error, { depth: Infinity, showHidden: true });
      expect(leaks(everything, [user, password, `${user}:${password}`])).toEqual([]);
      await expect.poll(proxy.open).toBe(0);
    },
  );

  it('that cannot be reached fails the request, which names it', async () => {
    const error = ask('http://cvm.example', { proxy: 'http://127.0.0.9:9' });

    await expect(error).rejects.toMatchObject({
      code: 'NetworkError',
      message: expect.stringMatching(/proxy 127\.0\.0\.9:9: .*ECONNREFUSED/),
    });
  });
});

describe('an authority', () => {
  it('of the configuration is trusted, besides the built-in ones', async () => {
    const { url } = await service({ tls: certificate });

    await expect(ask(url, { authorities })).resolves.toBeDefined();
  });

  it('that is not configured is not trusted, and the failure names the key for it', async () => {
    const { url } = await service({ tls: certificate });

    await expect(ask(url)).rejects.toMatchObject({
      code: 'NetworkError',
      message: expect.stringMatching(/certificate.*api\.ca_file/),
    });
  });

  it('does not make up for a certificate of another host', async () => {
    const { port } = await service({ tls: certificate });
    resolve({ 'other.example': ['127.0.0.1'] });

    await expect(ask(`https://other.example:${port}`, { authorities })).rejects.toMatchObject({
      code: 'NetworkError',
      message: expect.stringContaining('altnames'),
    });
  });
});

describe('a host', () => {
  it.each([{}, { tls: certificate }])(
    'with an IPv6 address in its URL is reached',
    async (options) => {
      const { emulator, url } = await service({ ...options, host: '::1' });

      await ask(url, { authorities });

      expect(emulator.requests.list().map(({ host }) => host)).toEqual([new URL(url).host]);
    },
  );

  it.each([
    ['::1', '127.0.0.1'],
    ['127.0.0.1', '::1'],
  ])('is reached if %s is dead and %s is not, whichever comes first', async (dead, alive) => {
    const { emulator, port } = await service({ host: alive, tls: certificate });
    const host = await startDeadHost(dead, port);
    onTestFinished(host.close);

    for (const addresses of [
      [dead, alive],
      [alive, dead],
    ]) {
      resolve({ [names[0]!]: addresses });
      await ask(`https://${names[0]!}:${port}`, { authorities, timeoutMs: 2_000 });
    }

    expect(emulator.requests.list()).toHaveLength(2);
  });

  it('is reached if one of its addresses refuses', async () => {
    const { port } = await service();
    resolve({ 'cvm.example': ['::1', '127.0.0.1'] });

    await expect(ask(`http://cvm.example:${port}`)).resolves.toBeDefined();
  });
});

describe('a reload', () => {
  it('keeps the connections whose way stays', async () => {
    const { port } = await service();
    const proxy = await startConnectProxy({ port });
    const client = clientOf('http://cvm.example', { proxy: proxy.url });
    await client.ask();

    client.configure({ proxy: proxy.url, authorities: [] });
    await client.ask();

    expect(proxy.requests).toHaveLength(1);
  });

  it('applies another proxy, and other authorities, to the next request', async () => {
    const { port } = await service({ tls: certificate });
    const [first, second] = [await startConnectProxy({ port }), await startConnectProxy({ port })];
    const client = clientOf(`https://${names[0]!}`, { proxy: first.url, authorities });
    await client.ask();

    client.configure({ proxy: second.url, authorities });
    await client.ask();
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);

    client.configure({ proxy: second.url, authorities: [] });
    await expect(client.ask()).rejects.toMatchObject({ code: 'NetworkError' });
    expect([first.requests.length, second.requests.length]).toEqual([1, 2]);
  });

  it('lets a request in flight end on its connection', async () => {
    const { emulator, port } = await service();
    emulator.faults.add({ effect: 'latency', latency: '300ms' });
    const proxy = await startConnectProxy({ port });
    const client = clientOf('http://cvm.example', { proxy: proxy.url });
    const polled = client.ask();
    await expect.poll(() => emulator.requests.list().length).toBe(1);

    client.configure({ proxy: 'http://127.0.0.9:9' });

    await expect(polled).resolves.toBeDefined();
  });
});
