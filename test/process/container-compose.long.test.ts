import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { collectors } from '../../src/collectors/collectors.ts';
import { loadConfig } from '../../src/config/config.ts';
import { hasProgram } from '../support/programs.ts';

interface Service {
  image: string;
  depends_on?: string[];
  command?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  network_mode?: string;
  ports?: string[];
  secrets?: string[];
  volumes: string[];
}

const repository = join(import.meta.dirname, '../..');
const config = join(repository, 'config');
const files = ['compose.yaml', 'compose.cluster.yaml'];
const read = (name: string) => readFileSync(join(config, name), 'utf8');

function servicesOf(name: string): Record<string, Service> {
  const file: { services: Record<string, Service> } = parse(read(name), { merge: true });
  return file.services;
}
const services = servicesOf('compose.yaml');

interface Scenario {
  accounts: { regions: { name: string; launch_templates?: { id: string }[] }[] }[];
}
const scenario: Scenario = parse(read('demo.yaml'));
/** The regions of the scenario, as a configuration has them. */
const watchedRegions = scenario.accounts[0]!.regions.map(({ name, launch_templates = [] }) => ({
  name,
  settings:
    launch_templates.length === 0 ? {} : { launch_templates: launch_templates.map(({ id }) => id) },
}));

/** What Compose makes of a file. Debian's is older than the key `name`, and knows all else. */
const compose = (yaml: string) =>
  spawnSync('docker-compose', ['--file', '-', '--project-directory', config, 'config', '--quiet'], {
    input: yaml.replace(/^name: .*\n/m, ''),
    env: { ...process.env, VALKEY_PASSWORD_FILE: '/run/password' },
    encoding: 'utf8',
  });

const testCompose = test.runIf(hasProgram('docker-compose', 'docker-compose'));

testCompose.each(files)('config/%s is accepted by Compose', (name) => {
  expect(compose(read(name))).toMatchObject({ status: 0, stderr: '' });
});

testCompose.each(files)('config/%s would be refused by Compose with a misspelt key', (name) => {
  expect(compose(read(name).replace('read_only:', 'readonly:')).status).not.toBe(0);
});

test.each(files)(
  'the services of config/%s mount only files that exist, and only for reading',
  (name) => {
    const mounts = Object.values(servicesOf(name)).flatMap(({ volumes }) => volumes);
    for (const mount of mounts.filter((volume) => volume.startsWith('./'))) {
      const [source, , mode] = mount.split(':');
      expect(existsSync(join(config, source!)), mount).toBe(true);
      expect(mode).toBe('ro');
    }
  },
);

test.each(files)(
  'the services of config/%s may do nothing that they do not need, and run the image that was looked at',
  (name) => {
    for (const { image, cap_drop, security_opt } of Object.values(servicesOf(name))) {
      expect(image).toMatch(/^cvm-quota-monitor$|^docker\.io\/.+:.+@sha256:[0-9a-f]{64}$/);
      expect({ cap_drop, security_opt }).toEqual({
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  },
);

test.each(files)('the services of config/%s start programs with flags that they have', (name) => {
  const own = Object.values(servicesOf(name)).filter(
    ({ image, command }) => image === 'cvm-quota-monitor' && command !== undefined,
  );
  expect(own.length).toBeGreaterThan(0);
  for (const { command: [command, ...flags] = [] } of own) {
    const help = execFileSync('node', [join(repository, 'dist/main.js'), command!, '--help'], {
      encoding: 'utf8',
    });
    for (const flag of flags) expect(help).toContain(`${flag.split('=')[0]!} `);
  }
});

test('the services of config/compose.yaml share one network, and publish their ports to this machine alone', () => {
  const { 'cvm-quota-monitor': daemon, ...others } = services;
  for (const { network_mode, ports } of Object.values(others)) {
    expect({ network_mode, ports }).toEqual({ network_mode: 'service:cvm-quota-monitor' });
  }
  const published = ['10042', '9090', '9093', '3000'].map((port) => `127.0.0.1:${port}:${port}`);
  expect(daemon!.ports).toEqual(published);
});

test('the services of config/compose.yaml let the daemon watch what the scenario of the emulator holds', async () => {
  const { accounts, api } = await loadConfig(join(config, 'compose.daemon.yaml'), collectors);
  expect(services.emulator!.command).toContain(
    `--web.listen-address=${new URL(api.endpoint!).host}`,
  );
  expect(accounts.flatMap(({ regions }) => regions)).toMatchObject(watchedRegions);
});

const { valkey, emulator, ...daemons } = servicesOf('compose.cluster.yaml');

test('the services of config/compose.cluster.yaml are three daemons with one configuration, published to this machine alone', () => {
  const ports = Object.values(daemons).flatMap(({ ports: published = [] }) => published);

  expect(new Set(Object.values(daemons).flatMap(({ volumes }) => volumes)).size).toBe(1);
  expect(ports).toEqual(['10042', '10052', '10062'].map((port) => `127.0.0.1:${port}:10042`));
  expect([valkey!.ports, emulator!.ports]).toEqual([undefined, undefined]);
});

test('the services of config/compose.cluster.yaml find Valkey, its password and the emulator by their names, and watch what its scenario holds', async () => {
  const name = join(config, 'compose.cluster.daemon.yaml');
  const { accounts, api, cluster } = await loadConfig(name, collectors);

  expect(accounts.flatMap(({ regions }) => regions)).toMatchObject(watchedRegions);
  expect(cluster?.url).toBe('redis://valkey:6379/0');
  expect(cluster?.passwordFile).toBe('/run/secrets/valkey');
  expect(new URL(api.endpoint!).hostname).toBe('emulator');
  expect(emulator!.command).toContain(
    `--web.listen-address=0.0.0.0:${new URL(api.endpoint!).port}`,
  );
  for (const { depends_on: needed, secrets } of Object.values(daemons)) {
    expect(needed).toEqual(['valkey', 'emulator']);
    expect(secrets).toEqual(['valkey']);
  }
});

test('the services of config/compose.cluster.yaml make every record durable before a daemon counts it, and evict none', () => {
  const [shell, flag, script] = valkey!.command!;

  expect([shell, flag]).toEqual(['sh', '-c']);
  expect(script).toMatch(/^sed 's\/\^\/requirepass \/' \/run\/secrets\/valkey \|/);
  expect(script).toContain('--appendonly yes --appendfsync always --maxmemory-policy noeviction');
});
