import { collectors } from '../../src/collectors/collectors.ts';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/config.ts';
import { hasProgram } from '../helpers/programs.ts';

interface Service {
  image: string;
  command?: string[];
  network_mode?: string;
  ports?: string[];
  volumes: string[];
}

const repository = join(import.meta.dirname, '../..');
const config = join(repository, 'config');
const text = readFileSync(join(config, 'compose.yaml'), 'utf8');
const { services }: { services: Record<string, Service> } = parse(text);

/** What Compose makes of a file. Debian's is older than the key `name`, and knows all else. */
const compose = (yaml: string) =>
  spawnSync('docker-compose', ['--file', '-', '--project-directory', config, 'config', '--quiet'], {
    input: yaml.replace(/^name: .*\n/m, ''),
    encoding: 'utf8',
  });

describe.runIf(hasProgram('docker-compose', 'docker-compose'))('config/compose.yaml', () => {
  test('is accepted by Compose', () => {
    expect(compose(text)).toMatchObject({ status: 0, stderr: '' });
  });

  test('would be refused by Compose with a misspelt key', () => {
    expect(compose(text.replace('read_only:', 'readonly:')).status).not.toBe(0);
  });
});

describe('the services of config/compose.yaml', () => {
  test('mount only files that exist, and only for reading', () => {
    const mounts = Object.values(services).flatMap(({ volumes }) => volumes);
    for (const mount of mounts.filter((volume) => volume.startsWith('./'))) {
      const [source, , mode] = mount.split(':');
      expect(existsSync(join(config, source!)), mount).toBe(true);
      expect(mode).toBe('ro');
    }
  });

  test('share one network, and publish their ports to this machine alone', () => {
    const { 'cvm-quota-monitor': daemon, ...others } = services;
    for (const { network_mode, ports } of Object.values(others)) {
      expect({ network_mode, ports }).toEqual({ network_mode: 'service:cvm-quota-monitor' });
    }
    const published = ['10042', '9090', '9093', '3000'].map((port) => `127.0.0.1:${port}:${port}`);
    expect(daemon!.ports).toEqual(published);
  });

  test('start the emulator with flags that it has', () => {
    const [command, ...flags] = services.emulator!.command!;
    const help = execFileSync('node', [join(repository, 'dist/main.js'), command!, '--help'], {
      encoding: 'utf8',
    });
    for (const flag of flags) expect(help).toContain(`${flag.split('=')[0]!} `);
  });

  test('let the daemon watch what the scenario of the emulator holds', async () => {
    const { accounts, api } = await loadConfig(join(config, 'compose.daemon.yaml'), collectors);
    const scenario: {
      accounts: { regions: { name: string; launch_templates?: { id: string }[] }[] }[];
    } = parse(readFileSync(join(config, 'demo.yaml'), 'utf8'));

    expect(services.emulator!.command).toContain(
      `--web.listen-address=${new URL(api.endpoint).host}`,
    );
    expect(accounts.flatMap(({ regions }) => regions)).toMatchObject(
      scenario.accounts[0]!.regions.map(({ name, launch_templates = [] }) => ({
        name,
        settings:
          launch_templates.length === 0
            ? {}
            : { launch_templates: launch_templates.map(({ id }) => id) },
      })),
    );
  });
});
