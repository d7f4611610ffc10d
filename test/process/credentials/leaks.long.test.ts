/**
 * No output holds a secret, whatever goes wrong: the service, STS, the metadata service and the proxy quote what
 * they get.
 */
import type { ServerResponse } from 'node:http';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunningEmulator } from '../../../src/emulator/emulator.ts';
import { createLogger } from '../../../src/log.ts';
import { startConnectProxy, type ConnectProxy } from '../../support/connect-proxy.ts';
import type { ConfigInput } from '../../support/daemon-process.ts';
import { startGateway } from '../../support/gateway.ts';
import { leaks } from '../../support/leaks.ts';
import { startMonitor, type Monitor } from '../../support/monitor.ts';
import type { StubRequest } from '../../support/stub-service.ts';
import { pod, scenario } from './world.ts';

/** Secrets that are configured. Temporary credentials come on top. */
const secrets = {
  secretId: 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3MARKER',
  secretKey: 'Gu5t9xGARNpq86cd98joQYCN3sMARKER',
  token: 'tOkEn-MARKER/aB3+0123456789abcdefghijklmnopq==',
  profileKey: 'pR0fileMARKERkeyGu5t9xGARNpq86cd',
  webToken: `eyJhbGciOiJSUzI1NiJ9.${'wEbMARKER0'.repeat(12)}.s1gnature`,
  externalId: 'eXternal-MARKER-9f2c41d8',
  proxyUser: 'pRoxyUser-MARKER-5521',
  proxyPassword: 'pRoxyP@ss-MARKER-77:13/x',
};
/** No part of it is another secret. */
const profileId = secrets.secretId.replace('AKID', 'AKIDx');
const proxyLogin = `${secrets.proxyUser}:${secrets.proxyPassword}`;
/** The same in a URL. */
const urlLogin = [secrets.proxyUser, secrets.proxyPassword].map(encodeURIComponent).join(':');

/** How a bad server answers. The text is a part of what it received, or knows. */
type Misbehaviour = (response: ServerResponse, quote: string) => void;

const envelope = (error: object) =>
  JSON.stringify({ Response: { Error: error, RequestId: 'r-1' } });
const failing =
  (codes: string[], form: (quote: string) => string): Misbehaviour =>
  (response, quote) => {
    const Code = codes[Math.floor(Math.random() * codes.length)]!;
    response.end(envelope({ Code, Message: form(quote) }));
  };
const refusals = [
  'AuthFailure.TokenFailure',
  'AuthFailure.SecretIdNotFound',
  'AuthFailure.SignatureFailure',
  'AuthFailure.SignatureExpire',
  'UnauthorizedOperation',
  'InternalError',
  'InvalidParameter',
];

const misbehaviours: Readonly<Record<string, Misbehaviour>> = {
  plain: failing(refusals, (quote) => quote),
  'percent-encoded': failing(refusals, encodeURIComponent),
  code: (response, quote) => {
    response.end(envelope({ Code: quote, Message: '' }));
  },
  'request ID': (response, quote) => {
    const RequestId = quote.length > 64 ? '' : quote;
    response.end(JSON.stringify({ Response: { Error: { Code: 'X', Message: '' }, RequestId } }));
  },
  fields: (response, quote) => {
    const Credentials = { Token: `${quote}\n`, TmpSecretId: quote, TmpSecretKey: 1 };
    response.end(JSON.stringify({ Response: { Credentials, [quote]: quote, ExpiredTime: quote } }));
  },
  metadata: (response, quote) => {
    response.end(JSON.stringify({ Code: quote, TmpSecretId: quote, Token: quote }));
  },
  text: (response, quote) => response.end(quote),
  status: (response, quote) => {
    response.writeHead(500, 'no').end(quote);
  },
  redirect: (response, quote) => {
    response.writeHead(302, { Location: `/${encodeURIComponent(quote)}` }).end(quote);
  },
  'half an answer': (response, quote) => {
    response.writeHead(200, { 'Content-Length': '100000' }).write(quote);
    response.socket?.destroySoon();
  },
  'no HTTP': (response, quote) => response.socket?.end(quote),
};

/** How a bad proxy answers instead of opening a tunnel. */
const proxyMisbehaviours: NonNullable<ConnectProxy['misbehave']>[] = [
  (socket, { authorization }) => socket.end(`HTTP/1.1 407 ${authorization} ${proxyLogin}\r\n\r\n`),
  (socket, { authorization }) =>
    socket.end(`HTTP/1.1 502 Bad\r\nX-Quote: ${authorization}\r\n\r\n${proxyLogin}`),
  (socket, { authorization }) => socket.end(`${authorization} ${proxyLogin}\r\n\r\n`),
  (socket, { authorization }) => socket.end(`HTTP/1.1 200 OK\r\n${authorization}\r\n\r\n`),
  (socket, { authorization }) =>
    socket.end(`HTTP/1.1 200 OK\r\n\r\n${authorization} ${proxyLogin}`),
  (socket) => socket.destroy(),
  () => undefined,
];

/** A server before the emulator that can misbehave. */
class MisbehavingServer {
  misbehaviour: Misbehaviour | null = null;
  #emulator: RunningEmulator | null = null;
  #requests = 0;

  async start(emulator: RunningEmulator): Promise<string> {
    this.#emulator = emulator;
    const gateway = await startGateway(emulator);
    gateway.replacementFor = (request) => {
      const { misbehaviour } = this;
      if (misbehaviour === null) return null;
      return (response) => {
        response.statusCode = 200;
        misbehaviour(response, this.#quoteOf(request));
      };
    };
    return gateway.url;
  }

  /** The configured secrets, and those of all sessions. */
  known(): string[] {
    const sessions = [...(this.#emulator?.state.keys.values() ?? [])].flatMap(({ key }) => [
      key.secret_id,
      key.secret_key,
      ...(key.token === undefined ? [] : [key.token]),
    ]);
    return [...Object.values(secrets), ...sessions];
  }

  /** In turn: the whole request, and each secret in it. */
  #quoteOf({ path, headers, body }: StubRequest): string {
    const received = `${path} ${JSON.stringify(headers)} ${body.toString()}`;
    const own = this.known().filter((secret) => received.includes(secret));
    const quotes = [received, ...own];
    this.#requests += 1;
    return quotes[this.#requests % quotes.length]!;
  }
}

const watched = { quota_types: ['image'], regions: ['ap-regiona', 'ap-regionb'] };

const accounts: ConfigInput['accounts'] = [
  {
    name: 'environment',
    credentials: {
      type: 'environment',
      secret_id_env: 'MARKED_ID',
      secret_key_env: 'MARKED_KEY',
      token_env: 'MARKED_TOKEN',
    },
    ...watched,
  },
  { name: 'profile', credentials: { type: 'profile' }, ...watched },
  { name: 'machine', credentials: { type: 'cvm_role' }, ...watched },
  { name: 'pod', credentials: { type: 'tke_oidc' }, ...watched },
  {
    name: 'member',
    credentials: {
      type: 'assume_role',
      role_arn: 'qcs::cam::uin/100000000002:roleName/monitor',
      external_id: secrets.externalId,
      source: { type: 'tke_oidc' },
    },
    ...watched,
  },
];

/** The same world, with keys that are marked. */
const marked = {
  ...scenario,
  accounts: scenario.accounts.map((account) =>
    account.name === 'central'
      ? {
          ...account,
          keys: [
            { secret_id: secrets.secretId, secret_key: secrets.secretKey, token: secrets.token },
            { secret_id: profileId, secret_key: secrets.profileKey },
          ],
          oidc_providers: [{ id: 'cls-1a2b3c4d', tokens: [{ token: secrets.webToken }] }],
        }
      : { ...account, roles: [{ name: 'monitor' }] },
  ),
};

async function start(server: MisbehavingServer, lines: string[]) {
  const proxy = await startConnectProxy();
  const env: Record<string, string> = {
    MARKED_ID: secrets.secretId,
    MARKED_KEY: secrets.secretKey,
    MARKED_TOKEN: secrets.token,
    HTTP_PROXY: proxy.url.replace('//', `//${urlLogin}@`),
  };
  const logger = createLogger({
    level: 'debug',
    format: 'json',
    write: (line) => lines.push(line),
  });
  const monitor = await startMonitor({
    scenario: marked,
    serviceUrl: (emulator) => server.start(emulator),
    logger,
    env,
    prepare: async ({ directory }) => {
      Object.assign(env, pod.env(directory), { HOME: directory });
      await writeFile(join(directory, 'token'), secrets.webToken);
      await mkdir(join(directory, '.tencentcloud'));
      await writeProfile(directory, secrets.profileKey);
    },
    config: ({ endpoint }) => ({
      api: {
        endpoint,
        sts_endpoint: endpoint,
        metadata_endpoint: endpoint,
        timeout: '500ms',
        max_attempts: 1,
        requests_per_second: 20,
      },
      accounts,
    }),
  });
  return { monitor, env, proxy };
}

async function writeProfile(directory: string, key: string): Promise<void> {
  const text = `[default]\nsecret_id = ${profileId}\nsecret_key = ${key}\n`;
  await writeFile(join(directory, '.tencentcloud', 'credentials'), text);
}

/** Everything that the daemon shows and stores. */
async function outputs(monitor: Monitor): Promise<string> {
  const paths = [
    '/',
    '/metrics',
    '/api/v1/quotas',
    '/api/v1/targets',
    '/api/v1/changes',
    '/-/ready',
  ];
  const pages = await Promise.all(paths.map(async (path) => (await monitor.get(path)).text()));
  const data = join(monitor.directory, 'data');
  const files = (await readdir(data, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const stored = await Promise.all(
    files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')),
  );
  return [...pages, ...stored].join('\n');
}

test('no log line, page, metric or stored record holds a secret', async () => {
  const server = new MisbehavingServer();
  const lines: string[] = [];
  const { monitor, env, proxy } = await start(server, lines);
  const seen: string[] = [await outputs(monitor)];
  expect(seen[0]).toContain('cvm_quota_limit');
  expect(server.known().length).toBeGreaterThan(Object.keys(secrets).length);

  for (const misbehaviour of Object.values(misbehaviours)) {
    for (let round = 0; round < 4; round += 1) {
      // Static keys are refused, and temporary ones must be fetched.
      server.misbehaviour = misbehaviour;
      await monitor.cycle(3_600_000 + 3_000);
      seen.push(await outputs(monitor));
    }
    server.misbehaviour = null;
    await monitor.cycle(3 * 3_600_000);
  }

  for (const misbehave of proxyMisbehaviours) {
    proxy.misbehave = misbehave;
    proxy.hangUp();
    await monitor.cycle(3 * 3_600_000);
    seen.push(await outputs(monitor));
    proxy.misbehave = null;
    await monitor.cycle(3 * 3_600_000);
  }

  // Secrets that are no secrets of a good form.
  env.MARKED_KEY = `${secrets.secretKey} ${secrets.token}`;
  await writeProfile(monitor.directory, `${secrets.profileKey} and more`);
  await writeFile(join(monitor.directory, 'token'), `${secrets.webToken}\n${secrets.webToken}`);
  await monitor.cycle(3 * 3_600_000);
  seen.push(await outputs(monitor));

  const text = [...seen, ...lines].join('\n');
  for (const word of [
    'AssumeRole',
    'metadata service',
    'MARKED_KEY',
    '"debug"',
    'Credentials',
    'Proxy response (407)',
    'Proxy response (502)',
  ]) {
    expect(text).toContain(word);
  }
  expect(proxy.requests[0]!.authorization).toBe(
    `Basic ${Buffer.from(proxyLogin).toString('base64')}`,
  );
  expect(leaks(text, [...server.known(), proxyLogin])).toEqual([]);
});
