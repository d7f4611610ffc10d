/** An endpoint of one region that cannot be reached or trusted; the other region has its own. */
import { randomBytes } from 'node:crypto';
import dns from 'node:dns';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startEmulator } from '../../src/emulator/emulator.ts';
import { selfSigned } from '../support/certificate.ts';
import { startDaemon, type ConfigInput } from '../support/daemon-process.ts';
import { temporaryDirectory } from '../support/directories.ts';
import { startMonitor } from '../support/monitor.ts';
import { hasProgram } from '../support/programs.ts';
import type { Samples } from '../support/samples.ts';
import { linesByTarget } from '../support/target-lines.ts';

const domain = 'service.test';
const hit = 'ap-guangzhou';
const other = 'ap-shanghai';

const scenario = {
  requests_per_second: 1_000_000,
  accounts: [
    {
      name: 'production',
      regions: [hit, other].map((name) => ({ name, image: { used: 1, limit: 10 } })),
    },
  ],
};

const config = (endpoint: string): ConfigInput => ({
  poll: { schedule: '* * * * * *' },
  api: { endpoint, max_attempts: 2 },
  accounts: [{ name: 'production', credentials: { type: 'none' }, regions: [hit, other] }],
});

describe('a name', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  type Done = (error: Error | null, address?: unknown, family?: number) => void;

  /** Lets the names of the service end in an address, or in nothing. */
  function resolveNames(addressOf: (host: string) => string | null): void {
    vi.restoreAllMocks();
    const resolve = dns.lookup as (host: string, ...others: unknown[]) => void;
    const lookup = (host: string, ...others: unknown[]) => {
      if (!host.endsWith(domain)) {
        resolve(host, ...others);
        return;
      }
      const [{ all }, done] = others as [{ all?: boolean }, Done];
      const address = addressOf(host);
      const family = address?.includes(':') === true ? 6 : 4;
      if (address === null) done(new Error(`getaddrinfo ENOTFOUND ${host}`));
      else if (all === true) done(null, [{ address, family }]);
      else done(null, address, family);
    };
    vi.spyOn(dns, 'lookup').mockImplementation(lookup);
  }

  test.each([
    ['that no server knows', null],
    ['whose address refuses connections', '::1'],
  ])('%s fails its own region alone, until it is right again', async (_name, address) => {
    resolveNames(() => '127.0.0.1');
    const monitor = await startMonitor({
      scenario,
      serviceUrl: ({ url }) => Promise.resolve(`http://{region}.${domain}:${new URL(url).port}`),
      config: ({ endpoint }) => config(endpoint),
    });
    const before = linesByTarget(await monitor.text());

    resolveNames((host) => (host.startsWith(hit) ? address : '127.0.0.1'));
    // Ends the connections that are still open from before.
    monitor.emulator.faults.add({ effect: 'connection-reset', region: hit });
    await monitor.cycle();

    const during = linesByTarget(await monitor.text());
    const { state } = before.get(`production/${hit}/quotas`)!;
    expect(during.get(`production/${hit}/quotas`)).toEqual({
      state,
      faults: ['code="NetworkError"} 1'],
      up: 0,
      polls: 2,
    });
    expect(during.get(`production/${other}/quotas`)).toEqual({
      ...before.get(`production/${other}/quotas`),
      polls: 2,
    });

    monitor.emulator.faults.clear();
    await monitor.cycle();
    const stillAway = linesByTarget(await monitor.text());
    expect(stillAway.get(`production/${hit}/quotas`)?.faults).toEqual(['code="NetworkError"} 2']);

    resolveNames(() => '127.0.0.1');
    await monitor.cycle();
    const after = linesByTarget(await monitor.text());
    expect(after.get(`production/${hit}/quotas`)).toMatchObject({ state, up: 1 });
  });
});

describe.runIf(hasProgram('openssl', 'openssl'))('a certificate', () => {
  /** A TLS server before the emulator, whose certificate for one region a test can exchange. */
  async function startTls(emulatorUrl: string, good: TlsOptions) {
    const sockets = new Set<Socket>();
    const contexts = { hit: createSecureContext(good) };
    const server = createTlsServer(
      {
        ...good,
        SNICallback: (host, done) => {
          done(null, host.startsWith(hit) ? contexts.hit : createSecureContext(good));
        },
      },
      (socket) => {
        const upstream = connect(Number(new URL(emulatorUrl).port), '127.0.0.1');
        for (const each of [socket, upstream]) {
          sockets.add(each);
          each.on('error', () => undefined);
          each.on('close', () => sockets.delete(each));
        }
        socket.pipe(upstream).pipe(socket);
      },
    );
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const hangUp = () => {
      for (const socket of sockets) socket.destroy();
    };
    onTestFinished(() => {
      server.close();
      hangUp();
    });
    return {
      port: (server.address() as AddressInfo).port,
      /** Uses another certificate for the region, on new connections. */
      use: (options: TlsOptions) => {
        contexts.hit = createSecureContext(options);
        // A resumed session would show no certificate.
        server.setTicketKeys(randomBytes(48));
        hangUp();
      },
    };
  }

  /** Lets the daemon's process find the service's names on this machine. */
  const resolver = `import dns from 'node:dns';
    const resolve = dns.lookup;
    dns.lookup = (host, ...others) =>
      resolve(host.endsWith('${domain}') ? '127.0.0.1' : host, ...others);`;

  const isUp = (region: string, value: number) => (samples: Samples) =>
    samples.value('cvm_monitor_target_up', { region }) === value;

  test.each([
    ['of an authority that is not trusted', [`*.${domain}`]],
    ['of another host', ['elsewhere.test']],
  ])('%s is not accepted, and fails its own region alone', async (_name, hosts) => {
    const emulator = await startEmulator({ scenario });
    onTestFinished(emulator.close);
    const directory = await temporaryDirectory();
    const good = await selfSigned(directory, 'good', [`*.${domain}`]);
    const elsewhere = await selfSigned(directory, 'elsewhere', hosts);
    const tls = await startTls(emulator.url, good);
    const daemon = await startDaemon({
      config: config(`https://{region}.${domain}:${tls.port}`),
      env: { NODE_EXTRA_CA_CERTS: good.certFile },
      nodeFlags: [`--import=data:text/javascript,${encodeURIComponent(resolver)}`],
    });
    await daemon.metricsWhen((samples) => isUp(hit, 1)(samples) && isUp(other, 1)(samples));

    tls.use(elsewhere);
    const during = await daemon.metricsWhen(isUp(hit, 0));
    expect(
      during.value('cvm_monitor_poll_failures_total', { region: hit, code: 'NetworkError' }),
    ).toBeGreaterThan(0);
    expect(during.value('cvm_quota_used', { region: hit })).toBe(1);
    expect(during.matching('cvm_monitor_poll_failures_total', { region: other })).toEqual([]);

    tls.use(good);
    const after = await daemon.metricsWhen(isUp(hit, 1));
    expect(after.value('cvm_quota_used', { region: hit })).toBe(1);
    expect(daemon.hasExited).toBe(false);
  });
});
