/** A daemon of a cluster whose Redis uses TLS and a password. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAuthority } from '../../support/certificate-authority.ts';
import { hasRedis } from '../../support/cluster.ts';
import { emulateRegions } from '../../support/emulator.ts';
import { configOf, spawnDaemon, startWatched } from '../../support/program.ts';
import { hasProgram } from '../../support/programs.ts';
import { startRedis } from '../../support/redis.ts';

const canRun = [hasRedis, hasProgram('openssl', 'openssl')].every(Boolean);

async function startRedisWithTls() {
  const authority = await createAuthority();
  authority.issue('redis', 'serverAuth', 'DNS:localhost');
  const fileOf = (name: string) => join(authority.directory, name);
  await writeFile(fileOf('password'), 'a password of a test\n');
  const { port } = await startRedis((tlsPort) => ({
    port: 0,
    'tls-port': tlsPort,
    'tls-cert-file': fileOf('redis.crt'),
    'tls-key-file': fileOf('redis.key'),
    'tls-ca-cert-file': authority.file,
    'tls-auth-clients': 'no',
    requirepass: 'a password of a test',
  }));
  return { authority, url: `rediss://localhost:${port}`, passwordFile: fileOf('password') };
}

test.runIf(canRun)(
  'a daemon trusts the authorities of ca_file for Redis, and runs cycles',
  async () => {
    const { authority, url, passwordFile } = await startRedisWithTls();
    const { daemon } = await startWatched({
      poll: { schedule: '0 0 1 1 *' },
      cluster: {
        name: 'test',
        redis: { url, password_file: passwordFile, ca_file: authority.file },
      },
    });

    const samples = await daemon.metrics();
    expect(samples.value('cvm_monitor_cluster_store_up')).toBe(1);
    expect(samples.sum('cvm_monitor_cycles_total')).toBe(1);
  },
);

test.runIf(canRun)(
  'a daemon does not use a Redis whose authority it does not know, also if NODE_TLS_REJECT_UNAUTHORIZED is 0',
  async () => {
    const { url, passwordFile } = await startRedisWithTls();
    const other = await createAuthority();
    const emulator = await emulateRegions('ap-guangzhou');
    const config = configOf(emulator, {
      poll: { schedule: '0 0 1 1 *' },
      cluster: { name: 'test', redis: { url, password_file: passwordFile, ca_file: other.file } },
    });
    const daemon = await spawnDaemon({ config, env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });

    const samples = await daemon.metricsWhen(
      (each) => each.value('cvm_monitor_cluster_store_up') === 0,
    );
    const ready = await daemon.get('/-/ready');
    expect(ready.status).toBe(503);
    expect(await ready.text()).toMatch(/Redis at localhost:\d+ .* no connection: .*certificate/);
    expect(samples.sum('cvm_monitor_cycles_total')).toBe(0);
  },
);
