/** A daemon of a cluster whose Redis uses TLS and a password. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAuthority } from '../../support/certificate-authority.ts';
import { hasRedis } from '../../support/cluster.ts';
import { configOf, spawnDaemon, startDaemon } from '../../support/program.ts';
import { hasProgram } from '../../support/programs.ts';
import { startRedis } from '../../support/redis.ts';
import { startService } from '../../support/service.ts';

const canRun = [hasRedis, hasProgram('openssl', 'openssl')].every(Boolean);
const password = 'a password of a test';

async function setUp() {
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
  const service = await startService('ap-guangzhou');
  const url = `rediss://localhost:${redis.port}`;
  const config = (ca_file: string) =>
    configOf(service, {
      poll: { schedule: '0 0 1 1 *' },
      cluster: { name: 'test', redis: { url, password_file: fileOf('password'), ca_file } },
    });
  return { authority, config };
}

test.runIf(canRun)(
  'a daemon trusts the authorities of ca_file for Redis, and runs cycles',
  async () => {
    const { authority, config } = await setUp();
    const daemon = await startDaemon({ config: config(authority.file) });

    const samples = await daemon.metrics();
    expect(samples.value('cvm_monitor_cluster_store_up')).toBe(1);
    expect(samples.sum('cvm_monitor_cycles_total')).toBe(1);
  },
);

test.runIf(canRun)(
  'a daemon does not use a Redis whose authority it does not know, also if NODE_TLS_REJECT_UNAUTHORIZED is 0',
  async () => {
    const { config } = await setUp();
    const other = await createAuthority();
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const daemon = await spawnDaemon({ config: config(other.file), env });

    const samples = await daemon.metricsWhen(
      (each) => each.value('cvm_monitor_cluster_store_up') === 0,
    );
    const ready = await daemon.get('/-/ready');
    expect(ready.status).toBe(503);
    expect(await ready.text()).toMatch(/Redis at localhost:\d+ .* no connection: .*certificate/);
    expect(samples.sum('cvm_monitor_cycles_total')).toBe(0);
  },
);
