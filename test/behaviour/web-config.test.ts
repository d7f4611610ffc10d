/** A server with a web configuration file, and real clients. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { compare } from 'bcryptjs';
import { expect, it, onTestFinished } from 'vitest';
import { textAnswer } from '../../src/expose/answers.ts';
import type { App } from '../../src/expose/app.ts';
import { startWebServer, type WebOptions } from '../../src/expose/server.ts';
import {
  openWebProtection,
  type ProtectionOptions,
} from '../../src/expose/web-config/protection.ts';
import { readWebConfig } from '../../src/expose/web-config/web-config.ts';
import { BoundedCalls } from '../../src/bounded-calls.ts';
import { recordingLogger, silentLogger } from '../support/loggers.ts';
import { RawConnection, sendRaw, statusesOf } from '../support/raw-connection.ts';
import { namedPipe } from '../support/named-pipe.ts';
import { rowsOf } from '../support/rows.ts';
import { ask, replaceFile, toolkitFile, webConfigFile } from '../support/toolkit-client.ts';

/**
 * Serves `fine` at every path with this web configuration, until the test has finished. Passwords are
 * compared in this thread.
 */
async function startProtected(
  text: string,
  { web = {}, ...options }: Partial<ProtectionOptions> & { web?: Partial<WebOptions> } = {},
) {
  const file = await webConfigFile(text);
  const protection = await openWebProtection({
    file,
    isHealthOpen: false,
    clock: { now: Date.now },
    logger: silentLogger,
    fileCalls: new BoundedCalls(),
    compare,
    rereadMs: 50,
    ...options,
  });
  const app: App = (path) =>
    path === '/fails' ? Promise.reject(new Error('a fault')) : textAnswer(200, 'fine');
  const addresses = [{ host: '127.0.0.1', port: 0 }];
  const webOptions = { addresses, protection, ...web };
  const server = await startWebServer(app, webOptions, options.logger ?? silentLogger);
  onTestFinished(() => server.close());
  return { url: server.url, file, protection, server };
}

/** The bcrypt hash of `a`. */
const hashOfA = '$2b$04$pm.TakxS8SbGf7xRmAoqFOm5Tmp3GvzcT/6NWoZlrJeowURxAVE6C';
const withTls = (keys = '') =>
  `tls_server_config: { cert_file: server.crt, key_file: server.key${keys} }\n`;
const withUsers = `basic_auth_users: { alice: ${hashOfA} }\n`;
const plain = { scheme: 'http' } as const;

async function connect(url: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls({
    port: Number(new URL(url).port),
    rejectUnauthorized: false,
    ...options,
  });
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'secureConnect');
  return socket.on('error', () => undefined);
}

it.each(rowsOf<[string, string]>('web-config', 'mistakes'))(
  'a web configuration is refused with the place of the mistake: %s',
  async (text, problem) => {
    const file = await webConfigFile(text);

    const error = await readWebConfig(file).then(() => 'valid', String);

    expect(error).toContain(`InvalidFileError: ${file}:`);
    expect(error.replace(`InvalidFileError: ${file}:`, '')).toMatch(new RegExp(problem));
    expect(error).not.toMatch(/secret|BEGIN/);
  },
);

it('a certificate that is a named pipe is refused at once', async () => {
  const file = await webConfigFile(withTls());
  await namedPipe(join(dirname(file), 'server.crt'));

  await expect(readWebConfig(file)).rejects.toThrow(/cert_file: .* it is no regular file/);
});

it.each([
  ...['cert', 'key', 'client_ca', 'client_allowed_sans', 'cipher_suites', 'curve_preferences'],
  'prefer_server_cipher_suites',
])(
  'a web configuration is refused for a key of the exporter toolkit that is not supported: %s',
  async (key) => {
    const file = await webConfigFile(withTls(`, ${key}: []`));

    await expect(readWebConfig(file)).rejects.toThrow(
      `tls_server_config.${key}: is a key of the exporter toolkit that this program does not have`,
    );
  },
);

it('a web configuration that is empty protects nothing', async () => {
  const { url } = await startProtected('basic_auth_users: {}');

  expect((await ask(url, plain)).status).toBe(200);
});

it('http2 is accepted, and HTTP/1.1 is served', async () => {
  const text = `${withTls()}http_server_config: { http2: true }`;
  const { url } = await startProtected(text);

  const socket = await connect(url, { ALPNProtocols: ['h2', 'http/1.1'] });

  expect(socket.alpnProtocol).toBe('http/1.1');
});

it('headers of the web configuration are in every answer', async () => {
  const file = toolkitFile('web_config_headers.good.yml');
  const { url } = await startProtected(await readFile(file, 'utf8'));

  expect((await ask(url, plain)).headers).toMatchObject({
    'x-frame-options': 'deny',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    'x-content-type-options': 'nosniff',
    'x-xss-protection': '1',
    'content-security-policy': "default-src 'self' *.test.example.net",
  });
});

const host = 'Host: localhost\r\n';

/** Requests whose answers are not those of a path. The second status is that without a login, where there are users. */
it.each([
  ['the prefix', `GET /quota HTTP/1.1\r\n${host}`, 302, 401],
  ['a path above the prefix', `GET /metrics HTTP/1.1\r\n${host}`, 404, 401],
  ['a path with dots', `GET /quota/../metrics HTTP/1.1\r\n${host}`, 404, 401],
  ['a foreign host', 'GET /quota/ HTTP/1.1\r\nHost: evil.example\r\n', 403, 401],
  ['no host', 'GET /quota/ HTTP/1.1\r\n', 400, 401],
  ['two hosts', `GET /quota/ HTTP/1.1\r\n${host}Host: b\r\n`, 400, 401],
  ['an expectation', `GET /quota/ HTTP/1.1\r\n${host}Expect: x\r\n`, 200, 401],
  ['a fault of ours', `GET /quota/fails HTTP/1.1\r\n${host}`, 500, 401],
  ['no HTTP', 'nonsense\r\n', 400, 400],
  ['long headers', `GET /quota/ HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n`, 431, 431],
  ['half a request', `GET /quota/ HTTP/1.1\r\n${host}X:`, 408, 408],
])(
  'headers and users of the web configuration apply to %s, too',
  async (_what, beginning, status, statusWithUsers) => {
    const headers = 'http_server_config: { headers: { X-Frame-Options: deny } }\n';
    const publicUrl = { page: null, host: null, prefix: '/quota' };
    const web = { publicUrl, limits: { requestTimeoutMs: 300 } };
    const open = await startProtected(headers, { web });
    const closed = await startProtected(headers + withUsers, { web });
    const end = beginning.endsWith(':') ? '' : 'Connection: close\r\n\r\n';

    for (const [{ url }, expected] of [
      [open, status],
      [closed, statusWithUsers],
    ] as const) {
      const received = await sendRaw(url, beginning + end);
      expect(statusesOf(received)).toEqual([expected]);
      expect(received).toContain('X-Frame-Options: deny\r\n');
    }
  },
);

it('users are not needed for health if a flag says so, and a path that leads elsewhere is not health', async () => {
  const { url } = await startProtected(withUsers, { isHealthOpen: true });

  const statusOf = async (path: string) => (await ask(url, { ...plain, path })).status;
  expect(await statusOf('/-/healthy')).toBe(200);
  expect(await statusOf('/-/ready?a=b')).toBe(200);
  expect(await statusOf('/-/healthy/../../api/v1/targets')).toBe(401);
  expect(await statusOf('/-/reload')).toBe(401);
  expect(await statusOf('/metrics')).toBe(401);
});

it('a user may be called __proto__, and no other name gets in', async () => {
  const { url } = await startProtected(withUsers.replace('alice', '__proto__'));

  const refused = { status: 401, headers: { 'cache-control': 'no-store' } };
  expect(await ask(url, plain)).toMatchObject(refused);
  expect((await ask(url, { ...plain, login: 'constructor:a' })).status).toBe(401);
  expect((await ask(url, { ...plain, login: '__proto__:b' })).status).toBe(401);
  expect((await ask(url, { ...plain, login: '__proto__:a' })).status).toBe(200);
});

it.each(['alice$2y$12$1DpfPeqF9HzHJt.EWswy1exHluGfbhnn3yXhR7Xes6m3WJqFg0Wby:a', 'al:ice:a'])(
  'users are not mixed up with their passwords: %s',
  async (login) => {
    const { url } = await startProtected(withUsers);
    await ask(url, { ...plain, login: 'alice:a' });

    expect((await ask(url, { ...plain, login })).status).toBe(401);
  },
);

it('a user gets 500 if the password cannot be compared, and the log says why', async () => {
  const { lines, logger } = recordingLogger();
  const compare = () => Promise.reject(new Error('no thread'));
  const { url } = await startProtected(withUsers, { compare, logger });

  expect((await ask(url, { ...plain, login: 'alice:a' })).status).toBe(500);

  expect(lines).toMatchObject([{ level: 'error', message: 'request failed' }]);
  expect(JSON.stringify(lines)).not.toContain('alice');
});

it('a change of users and headers applies to the next request of an open connection', async () => {
  const { file, url } = await startProtected(withTls() + withUsers);
  const socket = await connect(url);
  const request = `GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic ${Buffer.from('alice:a').toString('base64')}\r\n\r\n`;
  const answer = async () => {
    socket.write(request);
    return String(((await once(socket, 'data')) as [Buffer])[0]);
  };
  expect(await answer()).toContain(' 200 ');

  await replaceFile(
    file,
    `${withTls()}${withUsers.replace('alice', 'bob')}http_server_config: { headers: { X-Frame-Options: deny } }`,
  );

  await expect.poll(answer).toMatch(/ 401 [^]*X-Frame-Options: deny/);
});

it('a change of a certificate applies to the next connection, also if the key comes later', async () => {
  const { lines, logger } = recordingLogger();
  const { file, protection, url } = await startProtected(withTls(), { logger });
  const nameOf = async () => (await connect(url)).getPeerCertificate().subject.CN;
  const replace = async (from: string, to: string) => {
    await replaceFile(join(dirname(file), to), await readFile(toolkitFile(from)));
  };
  expect(await nameOf()).toBe('localhost');

  await replace('client2_selfsigned.pem', 'server.crt');

  await expect.poll(() => protection.status().problem).not.toBeNull();
  expect(await nameOf()).toBe('localhost');
  await replace('client2_selfsigned.key', 'server.key');
  await expect.poll(nameOf).toBe('test3');
  expect(protection.status().problem).toBeNull();
  expect(lines.map(({ message }) => message)).toEqual([
    'web configuration not reloaded; the one before stays in force',
    'web configuration reloaded',
  ]);
});

it('a change of the authority of client certificates applies to the next connection', async () => {
  const auth = (ca: string) =>
    withTls(`, client_auth_type: RequireAndVerifyClientCert, client_ca_file: ${ca}`);
  const { file, url } = await startProtected(auth('client2_selfsigned.pem'));
  const isServed = () =>
    ask(url, { certificate: 'client_selfsigned' }).then(
      () => true,
      () => false,
    );
  expect(await isServed()).toBe(false);

  await replaceFile(file, auth('client_selfsigned.pem'));

  await expect.poll(isServed).toBe(true);
});

it.each([
  ['is no YAML', '{'],
  ['has an unknown key', `${withTls()}users: {}`],
  ['has no TLS any more', withUsers],
  [
    'asks for client certificates',
    `${withTls(', client_auth_type: RequireAndVerifyClientCert, client_ca_file: client_selfsigned.pem')}${withUsers}`,
  ],
  ['has no users any more', withTls()],
])('the last good web configuration stays in force if the new one %s', async (_what, text) => {
  const { file, protection, url } = await startProtected(withTls() + withUsers);
  const before = protection.status();

  await replaceFile(file, text);
  await expect.poll(() => protection.status().problem).not.toBeNull();

  expect(protection.status().successMs).toBe(before.successMs);
  expect((await ask(url)).status).toBe(401);
  expect((await ask(url, { login: 'alice:a' })).status).toBe(200);
});

it.each([
  ['', 'TLSv1.1', false],
  ['', 'TLSv1.2', true],
  ['', 'TLSv1.3', true],
  [', min_version: TLS13', 'TLSv1.2', false],
  [', max_version: TLS12', 'TLSv1.3', false],
] as const)(
  'TLS has the versions between min_version and max_version: %s %s',
  async (keys, version, isServed) => {
    const { url } = await startProtected(withTls(keys));
    const old = version === 'TLSv1.1' ? { ciphers: 'ALL:@SECLEVEL=0' } : {};

    const answer = ask(url, { tls: { minVersion: version, maxVersion: version, ...old } });

    if (isServed) expect((await answer).status).toBe(200);
    else await expect(answer).rejects.toThrow(/protocol version|alert/);
  },
);

it('TLS is not renegotiated', async () => {
  const { url } = await startProtected(withTls());
  const socket = await connect(url, { maxVersion: 'TLSv1.2' });

  const error = await new Promise((resolve) => {
    socket.once('error', resolve);
    socket.renegotiate({}, resolve);
  });

  expect(String(error)).toMatch(/no[ _]renegotiation/i);
});

it('a server with TLS has a place for a new client when silent connections fill the bound', async () => {
  const { url } = await startProtected(withTls(), {
    web: { limits: { maxConnections: 3 } },
  });
  const silent = await Promise.all([1, 2, 3].map(() => RawConnection.open(url)));

  expect((await ask(url)).status).toBe(200);
  expect(await silent[0]!.ended).toBe('');
});

it('a stop ends TLS handshakes that are under way', async () => {
  const { url, server } = await startProtected(withTls());
  const connection = await RawConnection.open(url);
  connection.send('\x16\x03\x01');

  const beforeMs = performance.now();
  await server.close();

  expect(await connection.ended).toBe('');
  // Much less than the time of a handshake.
  expect(performance.now() - beforeMs).toBeLessThan(7_000);
});
