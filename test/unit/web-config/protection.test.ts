/** A server with a web configuration file, and real clients. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProtected } from '../../helpers/protected-server.ts';
import { RawConnection } from '../../helpers/raw-connection.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { ask, replaceFile, toolkitFile, webConfigFile } from '../../helpers/toolkit-client.ts';

/** The bcrypt hash of `a`. */
const hashOfA = '$2b$04$pm.TakxS8SbGf7xRmAoqFOm5Tmp3GvzcT/6NWoZlrJeowURxAVE6C';
const withTls = (keys = '') =>
  `tls_server_config: { cert_file: server.crt, key_file: server.key${keys} }\n`;
const withUsers = `basic_auth_users: { alice: ${hashOfA} }\n`;
const plain = { scheme: 'http' } as const;

async function connect(url: string, options: ConnectionOptions): Promise<TLSSocket> {
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

describe('users', () => {
  it.each(['/', '/metrics', '/-/healthy', '/-/ready', '/-/reload', '/none', '/api/v1/targets'])(
    'are needed for every path: %s',
    async (path) => {
      const { url } = await startProtected(await webConfigFile(withUsers));

      const refused = await ask(url, { ...plain, path });

      expect(refused.status).toBe(401);
      expect(refused.headers['www-authenticate']).toMatch(/^Basic realm=/);
      expect(refused.headers['cache-control']).toBe('no-store');
      expect((await ask(url, { ...plain, path, login: 'alice:a' })).status).toBe(200);
      expect((await ask(url, { ...plain, path, login: 'alice:b' })).status).toBe(401);
    },
  );

  it('are not needed for health if a flag says so', async () => {
    const { url } = await startProtected(
      await webConfigFile(`${withUsers}rate_limit: { interval: 1h, burst: 0 }`),
      { isHealthOpen: true },
    );

    const statusOf = async (path: string) => (await ask(url, { ...plain, path })).status;
    expect(await statusOf('/-/healthy')).toBe(200);
    expect(await statusOf('/-/ready?a=b')).toBe(200);
    expect(await statusOf('/-/reload')).toBe(429);
    expect(await statusOf('/metrics')).toBe(429);
  });

  it('fail if a password cannot be compared', async () => {
    const { lines, logger } = recordingLogger();
    const bcrypt = {
      compare: () => Promise.reject(new Error('no thread')),
      close: () => undefined,
    };
    const { url } = await startProtected(await webConfigFile(withUsers), { bcrypt, logger });

    expect((await ask(url, { ...plain, login: 'alice:a' })).status).toBe(500);

    expect(lines).toMatchObject([{ level: 'error', message: 'request failed' }]);
    expect(JSON.stringify(lines)).not.toContain('alice');
  });
});

describe('a change of the files', () => {
  it('of users and headers applies to the next request of an open connection', async () => {
    const file = await webConfigFile(withTls() + withUsers);
    const { url } = await startProtected(file);
    const socket = await connect(url, {});
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

  it('of a certificate applies to the next connection, also if the key comes later', async () => {
    const { lines, logger } = recordingLogger();
    const file = await webConfigFile(withTls());
    const { protection, url } = await startProtected(file, { logger });
    const nameOf = async () => (await connect(url, {})).getPeerCertificate().subject.CN;
    const replace = async (from: string, to: string) => {
      await replaceFile(join(dirname(file), to), await readFile(toolkitFile(from)));
    };
    expect(await nameOf()).toBe('localhost');

    await replace('client2_selfsigned.pem', 'server.crt');

    await expect.poll(() => protection.status().lastReloadSuccessful).toBe(false);
    expect(await nameOf()).toBe('localhost');
    await replace('client2_selfsigned.key', 'server.key');
    await expect.poll(nameOf).toBe('test3');
    expect(protection.status().lastReloadSuccessful).toBe(true);
    expect(lines.map(({ message }) => message)).toEqual([
      'web configuration not reloaded; the one before stays in force',
      'web configuration reloaded',
    ]);
  });

  it.each([
    ['is no YAML', '{'],
    ['has an unknown key', `${withTls()}users: {}`],
    ['has no TLS any more', withUsers],
  ])('keeps the last good one in force if the new one %s', async (_what, text) => {
    const file = await webConfigFile(withTls() + withUsers);
    const { protection, url } = await startProtected(file);
    const before = protection.status();

    await replaceFile(file, text);
    await expect.poll(() => protection.status().lastReloadSuccessful).toBe(false);

    expect(protection.status().lastReloadSuccessMs).toBe(before.lastReloadSuccessMs);
    expect((await ask(url)).status).toBe(401);
    expect((await ask(url, { login: 'alice:a' })).status).toBe(200);
  });

  it('does not apply while they are being written', async () => {
    const { lines, logger } = recordingLogger();
    const file = await webConfigFile(withUsers);
    const { url } = await startProtected(file, { logger, settleMs: 2_000 });

    await writeFile(file, '');
    await delay(200);
    await writeFile(file, withUsers);
    await delay(3_000);

    expect((await ask(url, plain)).status).toBe(401);
    expect(lines).toEqual([]);
  });

  it('keeps the count of a rate limit that stays', async () => {
    const limit = 'rate_limit: { interval: 1h, burst: 1 }\n';
    const file = await webConfigFile(limit);
    const { protection, url } = await startProtected(file);
    expect((await ask(url, plain)).status).toBe(200);
    const before = protection.status().lastReloadSuccessMs;

    await replaceFile(file, `${limit}basic_auth_users: {}`);
    await expect.poll(() => protection.status().lastReloadSuccessMs).toBeGreaterThan(before);

    expect((await ask(url, plain)).status).toBe(429);
    await replaceFile(file, limit.replace('burst: 1', 'burst: 2'));
    await expect.poll(async () => (await ask(url, plain)).status).toBe(200);
  });
});

describe('TLS', () => {
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' } as const;

  it('has old versions only if min_version allows them', async () => {
    const isServed = async (keys: string) => {
      const { url } = await startProtected(await webConfigFile(withTls(keys)));
      return ask(url, { tls: old }).then(
        () => true,
        () => false,
      );
    };

    expect(await isServed(', min_version: TLS10')).toBe(true);
    expect(await isServed(', min_version: TLS11')).toBe(false);
    expect(await isServed('')).toBe(false);
  });

  it.each([
    ['[TLS_AES_256_GCM_SHA384, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]', 'TLS_AES_256_GCM_SHA384'],
    ['[TLS_CHACHA20_POLY1305_SHA256]', 'TLS_CHACHA20_POLY1305_SHA256'],
    ['[TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]', 'TLS_AES_128_GCM_SHA256'],
  ])('1.3 has the ciphers that a list names, or all of them: %s', async (suites, cipher) => {
    const { url } = await startProtected(
      await webConfigFile(withTls(`, cipher_suites: ${suites}`)),
    );

    const socket = await connect(url, { minVersion: 'TLSv1.3' });

    expect(socket.getCipher().name).toBe(cipher);
  });

  it('offers HTTP/1.1 to a client that prefers HTTP/2', async () => {
    const { url } = await startProtected(await webConfigFile(withTls()));

    const socket = await connect(url, { ALPNProtocols: ['h2', 'http/1.1'] });

    expect(socket.alpnProtocol).toBe('http/1.1');
  });

  it('makes a page that came without it a page of another site', async () => {
    const { url } = await startProtected(await webConfigFile(withTls()));
    const statusOf = async (scheme: string) =>
      (await ask(url, { headers: { Host: 'a', Origin: `${scheme}://a` } })).status;

    expect(await statusOf('https')).toBe(200);
    expect(await statusOf('http')).toBe(403);
  });

  it('is not renegotiated', async () => {
    const { url } = await startProtected(await webConfigFile(withTls()));
    const socket = await connect(url, { maxVersion: 'TLSv1.2' });

    const error = await new Promise((resolve) => {
      socket.once('error', resolve);
      socket.renegotiate({}, resolve);
    });

    expect(String(error)).toMatch(/no[ _]renegotiation/i);
  });
});

describe('connections beyond the bound', () => {
  it('take the place of one that waits longer than the others, in its handshake or after it', async () => {
    const { url } = await startProtected(await webConfigFile(withTls()), {
      limits: { maxConnections: 3 },
    });
    const first = await connect(url, {});
    const silent = await RawConnection.open(url);
    const idle = await connect(url, {});
    const closed = new Promise((resolve) => idle.once('close', resolve));
    first.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(first, 'data');

    expect((await ask(url)).status).toBe(200);
    expect(await silent.ended).toBe('');
    const another = await connect(url, {});
    const last = await connect(url, {});
    await closed;

    expect([first, another, last].map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  });
});

describe('a stop', () => {
  it('ends connections that have not completed their handshake', async () => {
    const { url, server } = await startProtected(await webConfigFile(withTls()));
    const connection = await RawConnection.open(url);
    connection.send('\x16\x03\x01');

    await server.close();

    expect(await connection.ended).toBe('');
    // Much less than the time of a handshake.
  }, 7_000);
});
