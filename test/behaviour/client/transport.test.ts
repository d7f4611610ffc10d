/** What the transport does with faulty servers, with proxies and with certificates, over real connections. */
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Transport } from '../../../src/api/transport.ts';
import { createAuthority } from '../../support/certificate-authority.ts';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { startDeadHost } from '../../support/dead-host.ts';
import { answerFields, startStubService } from '../../support/stub-service.ts';

const { signal } = new AbortController();
const request = { path: '/', headers: {}, body: null };

interface Given {
  readonly proxy?: string;
  readonly env?: Record<string, string>;
  readonly authorities?: readonly string[];
}

function transportWith({ proxy = 'environment', env = {}, authorities = [] }: Given = {}) {
  const transport = new Transport(env);
  transport.configure({ proxy, authorities });
  onTestFinished(() => {
    transport.close();
  });
  return transport;
}

const send = (url: string, given: Given = {}, timeoutMs = 10_000) =>
  transportWith(given).send(new URL(url), request, { timeoutMs, signal });

const answering = () =>
  startStubService((_request, response) => {
    answerFields(response, {});
  });

it('an answer of 8 MiB is refused at 3 MiB, and its connection is closed', async () => {
  let written = 0;
  const piece = Buffer.from('{}'.repeat(32 * 1024));
  const service = await startStubService((_request, response) => {
    const write = () => {
      while (written < 8 * 1024 * 1024) {
        written += piece.length;
        if (!response.write(piece)) {
          response.once('drain', write);
          return;
        }
      }
      response.end();
    };
    write();
  });

  await expect(send(service.url)).rejects.toMatchObject({
    code: 'InvalidResponse',
    message: 'the answer is longer than 3145728 bytes',
  });
  await expect.poll(() => service.brokenOff()).toBe(1);
});

it('an answer that says that it is longer than 3 MiB is refused before its body', async () => {
  const service = await startStubService((_request, response) => {
    response.writeHead(200, { 'Content-Length': 3 * 1024 * 1024 + 1 }).flushHeaders();
  });

  await expect(send(service.url)).rejects.toMatchObject({
    code: 'InvalidResponse',
    message: 'the answer is longer than 3145728 bytes',
  });
  await expect.poll(() => service.brokenOff()).toBe(1);
});

it.each([
  ['whole', 2_200_000],
  ['in pieces that cut characters', 10_000],
])('an answer of the largest legal size is read, %s', async (_how, pieceBytes) => {
  const body = '€'.repeat(700_000);
  const bytes = Buffer.from(body);
  const service = await startStubService((_request, response) => {
    for (let at = 0; at + pieceBytes < bytes.length; at += pieceBytes) {
      response.write(bytes.subarray(at, at + pieceBytes));
    }
    response.end(bytes.subarray(bytes.length - (bytes.length % pieceBytes || pieceBytes)));
  });

  expect((await send(service.url)).body === body).toBe(true);
});

it('an answer that is compressed is refused', async () => {
  const service = await startStubService((_request, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('anything');
  });

  await expect(send(service.url)).rejects.toMatchObject({
    message: 'the answer is compressed, which was not asked for',
  });
});

it('a host that accepts no connection fails its requests with Timeout, and nothing is written later', async () => {
  const host = await startDeadHost('127.0.0.9', 0);
  onTestFinished(host.close);
  const written: number[] = [];
  const onWrite = () => written.push(0);

  const sent = transportWith().send(new URL(`http://127.0.0.9:${host.port}`), request, {
    timeoutMs: 100,
    signal,
    onWrite,
  });

  await expect(sent).rejects.toMatchObject({
    code: 'Timeout',
    message: 'no connection to the endpoint within 100 ms',
  });
  expect(written).toEqual([]);
});

it('a proxy opens a tunnel, also to an http endpoint, with the user and password of its URL', async () => {
  const service = await answering();
  const proxy = await startConnectProxy();
  const { host } = new URL(service.url);
  const HTTP_PROXY = proxy.url.replace('://', '://us%40er:pass@');

  expect((await send(service.url, { env: { HTTP_PROXY } })).status).toBe(200);

  const authorization = `Basic ${Buffer.from('us@er:pass').toString('base64')}`;
  expect(proxy.requests).toEqual([{ target: host, authorization }]);
});

it.each<[string, Given]>([
  ['that NO_PROXY excludes', { env: { NO_PROXY: '127.0.0.1' } }],
  ['that the configuration switches off', { proxy: 'none' }],
])('a proxy gets no request to a host %s', async (_what, { env = {}, ...given }) => {
  const service = await answering();
  const proxy = await startConnectProxy();

  const answer = await send(service.url, { ...given, env: { ...env, HTTP_PROXY: proxy.url } });

  expect(answer.status).toBe(200);
  expect(proxy.requests).toEqual([]);
});

it.each([407, 401])('a proxy that answers %i fails with what to do', async (status) => {
  const proxy = await startConnectProxy();
  proxy.misbehave = (socket) => socket.end(`HTTP/1.1 ${status} no\r\n\r\n`);

  await expect(send('http://cvm.example', { proxy: proxy.url })).rejects.toMatchObject({
    code: 'NetworkError',
    message: expect.stringMatching(
      `${status}.*; write the user name and the password of the proxy`,
    ) as unknown,
  });
});

it('a proxy that closes its connections is asked once for each request, and named', async () => {
  const proxy = await startConnectProxy();
  proxy.misbehave = (socket) => socket.destroy();

  await expect(send('http://cvm.example', { proxy: proxy.url })).rejects.toMatchObject({
    code: 'NetworkError',
    message: expect.stringContaining(
      `no connection through the proxy ${new URL(proxy.url).host}: `,
    ) as unknown,
  });
  expect(proxy.requests).toHaveLength(1);
});

it('a proxy that does not answer is named', async () => {
  const proxy = await startConnectProxy();
  proxy.misbehave = () => undefined;

  const { host } = new URL(proxy.url);
  await expect(send('http://cvm.example', { proxy: proxy.url }, 100)).rejects.toMatchObject({
    code: 'Timeout',
    message: `no connection to the endpoint or the proxy ${host} within 100 ms`,
  });
});

it('a proxy that a variable names wrongly fails each request, without the value', async () => {
  const env = { HTTPS_PROXY: 'socks5://user:pass@a.example' };

  await expect(send('https://cvm.example', { env })).rejects.toMatchObject({
    code: 'NetworkError',
    message: expect.not.stringContaining('pass') as unknown,
  });
});

describe('TLS', () => {
  let authority: string;
  let tls: { readonly key: string; readonly cert: string };
  beforeEach(async () => {
    const created = await createAuthority();
    const { directory, file } = created;
    created.issue('server', 'serverAuth', 'DNS:localhost,IP:127.0.0.1');
    authority = await readFile(file, 'utf8');
    tls = {
      key: await readFile(join(directory, 'server.key'), 'utf8'),
      cert: await readFile(join(directory, 'server.crt'), 'utf8'),
    };
  });

  async function startTlsService(): Promise<string> {
    const server: Server = createServer(tls, (_request, response) => response.end('{}'));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const untrusted = {
    code: 'NetworkError',
    message: expect.stringContaining('; name a private authority in api.ca_file') as unknown,
  };

  it('a certificate of an authority of the configuration is trusted: directly and through proxies', async () => {
    const url = await startTlsService();
    const authorities = [authority];

    const plain = await startConnectProxy();
    const secure = await startConnectProxy({ tls });
    const answers = await Promise.all(
      ['none', plain.url, secure.url].map((proxy) => send(url, { proxy, authorities })),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('a certificate that is not trusted is refused, also if NODE_TLS_REJECT_UNAUTHORIZED is 0', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    // Node.js warns of the variable, which is no news for who runs the tests.
    const warning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => {
      warning.mockRestore();
      vi.unstubAllEnvs();
    });
    const url = await startTlsService();
    const plain = await startConnectProxy();
    const secure = await startConnectProxy({ tls });

    await expect(send(url)).rejects.toMatchObject(untrusted);
    await expect(send(url, { proxy: plain.url })).rejects.toMatchObject(untrusted);
    await expect(send(url, { proxy: secure.url })).rejects.toMatchObject(untrusted);
    const direct = transportWith().sendWithoutProxy(new URL(url), request, {
      timeoutMs: 10_000,
      signal,
    });
    await expect(direct).rejects.toMatchObject(untrusted);
  });
});
