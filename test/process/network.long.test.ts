/** The ways to the service: a proxy, a private authority, hosts of regions, names with two addresses. */
import { readFileSync } from 'node:fs';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ScenarioInput } from '../../src/emulator/emulator.ts';
import { createAuthority } from '../support/certificate-authority.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { startDeadHost } from '../support/dead-host.ts';
import { emulate } from '../support/emulator.ts';
import type { ConfigInput } from '../support/monitor.ts';
import { startDaemon } from '../support/program.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { trust } from '../support/trust.ts';

const regions = ['ap-regiona', 'ap-regionb'];
const hosts = [...regions, 'internal'].map((name) => `cvm.${name}.tencentcloudapi.com`);

const scenario: ScenarioInput = {
  accounts: [
    {
      name: 'central',
      uin: '100000000001',
      keys: [{ secret_id: 'id', secret_key: 'key' }],
      roles: [{ name: 'machine', trust: trust({ service: 'cvm.qcloud.com' }) }],
      regions: regions.map((name) => ({ name, image: { limit: 10 } })),
    },
    {
      name: 'member',
      uin: '100000000002',
      roles: [{ name: 'monitor', trust: trust({ qcs: 'qcs::cam::uin/100000000001:root' }) }],
      regions: regions.map((name) => ({ name, image: { limit: 20 } })),
    },
  ],
  machine: { role: 'machine' },
};

async function service() {
  const emulator = await emulate({ scenario });
  return { emulator, url: emulator.url, port: Number(new URL(emulator.url).port) };
}

/** A service that only TLS reaches, and a file with its authority. */
async function tlsService() {
  const { emulator, port: plainPort } = await service();
  const authority = await createAuthority();
  const names = [...hosts, 'sts.tencentcloudapi.com'].map((host) => `DNS:${host}`);
  authority.issue('server', 'serverAuth', [...names, 'IP:127.0.0.1'].join());
  const read = (name: string) => readFileSync(join(authority.directory, name));
  const tls = { cert: read('server.crt'), key: read('server.key') };
  const { port } = await startTcpProxy(plainPort, tls);
  return { emulator, caFile: authority.file, port, url: `https://127.0.0.1:${port}` };
}

const never = { schedule: '0 0 1 1 *' };
const keys = { TENCENTCLOUD_SECRET_ID: 'id', TENCENTCLOUD_SECRET_KEY: 'key' };

const account = (credentials: ConfigInput['accounts'][number]['credentials']) => ({
  name: 'a',
  credentials,
  quota_types: ['image'],
  regions,
});

/** Flags of Node.js that let the process find these names, and no others. */
function resolver(addresses: Readonly<Record<string, readonly string[]>>): string[] {
  const code = `import dns from 'node:dns';
    import { isIP } from 'node:net';
    const { lookup } = dns;
    const known = ${JSON.stringify(addresses)};
    dns.lookup = (host, ...rest) => {
      if (isIP(host) !== 0) return lookup(host, ...rest);
      const done = rest.at(-1);
      const found = known[host]?.map((address) =>
        ({ address, family: address.includes(':') ? 6 : 4 }));
      if (found === undefined) done(new Error('getaddrinfo ENOTFOUND ' + host));
      else if (rest[0].all) done(null, found);
      else done(null, found[0].address, found[0].family);
    };`;
  return [`--import=data:text/javascript,${encodeURIComponent(code)}`];
}

test('a proxy with a password, and a private authority, lead to the host of each region and to STS; the metadata service is asked directly', async () => {
  const { emulator, caFile, url, port } = await tlsService();
  const proxy = await startConnectProxy({ port });
  const daemon = await startDaemon({
    env: { HTTPS_PROXY: proxy.url.replace('//', '//user:pass@') },
    nodeFlags: resolver({}),
    config: {
      poll: never,
      api: {
        endpoint: 'https://cvm.{region}.tencentcloudapi.com',
        metadata_endpoint: url,
        ca_file: caFile,
      },
      accounts: [
        account({
          type: 'assume_role',
          role_arn: 'qcs::cam::uin/100000000002:roleName/monitor',
          source: { type: 'cvm_role' },
        }),
      ],
    },
  });

  const samples = await daemon.metrics();
  for (const region of regions) {
    expect(samples.value('cvm_quota_limit', { region })).toBe(20);
  }
  const authorization = `Basic ${Buffer.from('user:pass').toString('base64')}`;
  expect(new Set(proxy.requests.map(({ target }) => target))).toEqual(
    new Set([
      'cvm.ap-regiona.tencentcloudapi.com:443',
      'cvm.ap-regionb.tencentcloudapi.com:443',
      'sts.tencentcloudapi.com:443',
    ]),
  );
  expect(new Set(proxy.requests.map((each) => each.authorization))).toEqual(
    new Set([authorization]),
  );
  const asked = emulator.requests.list().map(({ operation, host }) => `${operation} ${host}`);
  expect(asked).toContain(`Metadata 127.0.0.1:${port}`);
  expect(asked).toContain('AssumeRole sts.tencentcloudapi.com');
  for (const region of regions) {
    expect(asked).toContain(`DescribeAccountQuota cvm.${region}.tencentcloudapi.com`);
  }
});

test('a proxy and an authority that a reload replaces count for the next poll; a file that is wrong changes nothing', async () => {
  const { emulator, caFile: file, port } = await tlsService();
  const [first, second] = [await startConnectProxy({ port }), await startConnectProxy({ port })];
  const authority = await readFile(file);
  const config = (proxy: string, timeout: string) => ({
    poll: { schedule: '* * * * * *' },
    api: { endpoint: `https://${hosts[0]!}`, ca_file: file, proxy, timeout },
    accounts: [account({ type: 'environment' })],
  });
  const daemon = await startDaemon({ env: keys, config: config(first.url, '10s') });
  const polls = () => emulator.requests.list().length;
  const isPolled = async () => {
    const before = polls();
    await expect.poll(polls).toBeGreaterThan(before + 2);
  };
  await isPolled();

  await rm(file);
  await daemon.configure(config(second.url, '9s'));
  daemon.signal('SIGHUP');
  const { reason } = await daemon.logged(
    'configuration not reloaded; the one before stays in force',
  );
  expect(reason).toMatch(
    /config\.yaml:1:\d+: api\.ca_file: the file, or a certificate in it, cannot be read \(ENOENT\)$/,
  );
  await isPolled();
  expect(second.requests).toEqual([]);

  await writeFile(file, authority);
  daemon.signal('SIGHUP');
  await daemon.logged('configuration reloaded');
  await expect.poll(() => second.requests.length).toBeGreaterThan(0);
  await isPolled();
  expect((await daemon.metrics()).sum('cvm_monitor_poll_failures_total')).toBe(0);

  // Another authority in the same file.
  await copyFile((await createAuthority()).file, file);
  daemon.signal('SIGHUP');
  const failure = await daemon.logged('target is failing');
  expect(failure).toMatchObject({
    code: 'NetworkError',
    reason: expect.stringContaining('api.ca_file'),
  });
});

test('a reload that changes neither the way nor the host of a target opens no connection', async () => {
  const { port, emulator } = await service();
  const proxy = await startConnectProxy({ port });
  const config = (timeout: string) => ({
    poll: { schedule: '* * * * * *' },
    api: { endpoint: 'http://cvm.example', proxy: proxy.url, timeout },
    accounts: [{ ...account({ type: 'environment' }), regions: [regions[0]!] }],
  });
  const daemon = await startDaemon({ env: keys, config: config('10s') });
  await expect.poll(() => emulator.requests.list().length).toBeGreaterThan(1);

  await daemon.configure(config('9s'));
  daemon.signal('SIGHUP');
  await daemon.logged('configuration reloaded');
  const before = emulator.requests.list().length;
  await expect.poll(() => emulator.requests.list().length).toBeGreaterThan(before + 1);

  expect(proxy.requests).toHaveLength(1);
});

test('a host whose IPv6 address is dead is polled at its IPv4 address', async () => {
  const { port } = await service();
  const dead = await startDeadHost('::1', port);
  onTestFinished(dead.close);
  const daemon = await startDaemon({
    env: keys,
    nodeFlags: resolver({ 'cvm.example': ['::1', '127.0.0.1'] }),
    config: {
      poll: never,
      api: { endpoint: `http://cvm.example:${port}`, timeout: '4s', max_attempts: 1 },
      accounts: [account({ type: 'environment' })],
    },
  });

  expect((await daemon.metrics()).sum('cvm_monitor_target_up')).toBe(2);
});
