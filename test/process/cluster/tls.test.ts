/** A daemon of a cluster whose Redis uses TLS and a password. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../../src/emulator/emulator.ts';
import { createAuthority } from '../../support/certificate-authority.ts';
import type { ConfigInput } from '../../support/monitor.ts';
import { spawnDaemon, startDaemon } from '../../support/program.ts';
import { hasProgram } from '../../support/programs.ts';
import { hasRedis, startRedis } from '../../support/redis.ts';

const canRun = [hasRedis, hasProgram('openssl', 'openssl')].every(Boolean);
const password = 'a password of a test';

async function startWorld() {
  const authority = await createAuthority();
  authority.issue('redis', 'serverAuth', 'DNS:localhost');
  const fileOf = (name: string) => join(authority.directory, name);
  await writeFile(fileOf('password'), `${password}\n`);
  const redis = await startRedis((port) => ({
    port: 0,
    'tls-port': port,
    'tls-cert-file': fileOf('redis.crt'),
    'tls-key-file': fileOf('redis.key'),
    'tls-ca-cert-file': authority.file,
    'tls-auth-clients': 'no',
    requirepass: password,
  }));
  const emulator = await startEmulator();
  onTestFinished(emulator.close);
  const config = (caFile: string): ConfigInput => ({
    poll: { schedule: '0 0 1 1 *' },
    api: { endpoint: emulator.url },
    cluster: {
      name: 'test',
      redis: {
        url: `rediss://localhost:${redis.port}`,
        password_file: fileOf('password'),
        ca_file: caFile,
      },
    },
    accounts: [{ name: 'a', credentials: { type: 'none' }, regions: ['ap-guangzhou'] }],
  });
  return { authority, config };
}

describe.runIf(canRun)('a daemon of a cluster with TLS', () => {
  test('trusts the authorities of ca_file, and runs cycles', async () => {
    const { authority, config } = await startWorld();
    const daemon = await startDaemon({ config: config(authority.file) });

    const samples = await daemon.metrics();
    expect(samples.value('cvm_monitor_cluster_store_up')).toBe(1);
    expect(samples.sum('cvm_monitor_cycles_total')).toBe(1);
  });

  test('does not use a Redis whose authority it does not know, and says so', async () => {
    const { config } = await startWorld();
    const other = await createAuthority();
    const daemon = await spawnDaemon({ config: config(other.file) });

    const samples = await daemon.metricsWhen(
      (each) => each.value('cvm_monitor_cluster_store_up') === 0,
    );
    const ready = await daemon.get('/-/ready');
    expect(ready.status).toBe(503);
    expect(await ready.text()).toMatch(/Redis at localhost:\d+ .* no connection: .*certificate/);
    expect(samples.sum('cvm_monitor_cycles_total')).toBe(0);
  });
});
