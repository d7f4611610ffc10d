/** A kind of target that src/ does not know: one file and one row of a list give it everything. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { CollectorSet } from '../../../src/collectors/collector-set.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { temporaryFile } from '../../support/directories.ts';
import { type Labels, Samples } from '../../support/exposition.ts';
import { runHere } from '../../support/in-process.ts';
import { type Monitor, type MonitorOptions, startMonitor } from '../../support/monitor.ts';
import { startDiskService, type DiskService, type Disks } from './disk-service.ts';

// Another test file may have loaded the program, with its own list.
vi.hoisted(() => vi.resetModules());

/** The list of collectors with one more row. */
vi.mock('../../../src/collectors/collectors.ts', async (importOriginal) => {
  const original = await importOriginal<{ collectors: CollectorSet }>();
  const { diskCollector } = await import('./collector.ts');
  return { collectors: new CollectorSet([...original.collectors.all, diskCollector]) };
});

const account = { name: 'production', credentials: { type: 'none' as const }, disk_project: 7 };
const place = { account: 'production', region: 'ap-guangzhou', disk_type: 'CLOUD_SSD' };

/** A daemon with three kinds of target. */
async function startWithDisks(
  options: Partial<MonitorOptions> = {},
  disks: Record<'CLOUD_SSD' | 'CLOUD_PREMIUM', Disks> = {
    CLOUD_SSD: { Used: 950, Limit: 1_000, Encrypted: true },
    CLOUD_PREMIUM: { Used: 0, Limit: 500, Encrypted: false },
  },
) {
  const services: DiskService[] = [];
  const region = {
    name: 'ap-guangzhou',
    launch_templates: ['lt-b8v1kcyq'],
    disk_types: ['CLOUD_SSD', 'CLOUD_PREMIUM'],
  };
  const monitor = await startMonitor({
    collectors,
    config: ({ endpoint }) => ({
      api: { endpoint },
      accounts: [{ ...account, regions: [region] }],
    }),
    serviceUrl: async (emulator) => {
      services.push(await startDiskService(disks, emulator.url));
      return services[0]!.url;
    },
    ...options,
  });
  return { monitor, disks, requests: services[0]!.diskRequests() };
}

/** The values of the series of CLOUD_SSD; `undefined` where there is none. */
async function valuesOf(monitor: Monitor) {
  const samples = new Samples(await monitor.text());
  return (name: string, labels: Labels = {}) => samples.value(name, { ...place, ...labels });
}

test('a daemon with a third kind of target asks with the keys of its account and region, and exposes its quotas as those of every kind, and families of its own', async () => {
  const { monitor, requests } = await startWithDisks();
  expect(requests).toMatchObject([
    { Region: 'ap-guangzhou', DiskType: 'CLOUD_SSD', ProjectId: '7' },
    { DiskType: 'CLOUD_PREMIUM' },
  ]);
  const value = await valuesOf(monitor);
  const quota = { quota_type: 'disk-CLOUD_SSD', unit: 'gibibytes' };

  expect(value('cvm_quota_used', quota)).toBe(950);
  expect(value('cvm_quota_remaining', quota)).toBe(50);
  expect(value('cvm_quota_limit', quota)).toBe(1_000);
  const warning = { ...quota, severity: 'warning' };
  expect(value('cvm_quota_remaining_threshold', warning)).toBe(200);
  expect(value('cvm_quota_limit_changes_total', { ...quota, direction: 'lowered' })).toBe(0);
  expect(value('cvm_disk_encryption_enabled')).toBe(1);
  expect((await monitor.metrics()).types.get('cvm_disk_encryption_enabled')).toBe('gauge');
  expect(value('cvm_disk_encryption_changes_total')).toBe(0);
  expect(value('cvm_monitor_target_up', { operation: 'DescribeDiskQuota' })).toBe(1);
  expect(await monitor.text()).toContain('Used of DescribeDiskQuota');
});

test('a daemon with a third kind of target finds its changes, keeps them over a restart, and finds those made meanwhile', async () => {
  const { monitor: first, disks } = await startWithDisks();
  disks.CLOUD_SSD = { Used: 950, Limit: 900, Encrypted: false };
  await first.cycle(0);
  await first.daemon.stop();
  disks.CLOUD_SSD.Encrypted = true;

  const prepare = ({ directory }: { directory: string }) =>
    cp(join(first.directory, 'data'), join(directory, 'data'), { recursive: true });
  const { monitor } = await startWithDisks({ prepare }, disks);

  const value = await valuesOf(monitor);
  const { changes } = await monitor.json('/api/v1/changes?kind=disk-encryption-switched');
  expect(changes).toMatchObject([
    { ...place, template_id: null, from: 'off', to: 'on' },
    {
      from: 'on',
      to: 'off',
      text: 'production ap-guangzhou CLOUD_SSD: encryption went from on to off',
    },
  ]);
  expect((await monitor.json('/api/v1/changes')).changes).toHaveLength(3);
  expect(value('cvm_disk_encryption_changes_total')).toBe(2);
  expect(value('cvm_quota_limit_changes_total', { direction: 'lowered' })).toBe(1);
});

test('a daemon with a third kind of target shows its quotas, its table and its changes on the page', async () => {
  const { monitor, disks } = await startWithDisks();
  disks.CLOUD_SSD.Encrypted = false;
  await monitor.cycle();

  const page = async (path: string) => (await monitor.get(path)).text();
  const own = await page('/?disk_type=CLOUD_SSD');

  const section = (text: string, id: string) =>
    new RegExp(`<section id="${id}".*?</section>`, 's').exec(text)?.[0] ?? '';
  expect(await page('/')).toContain('id="templates"');
  expect(own).not.toContain('<section id="templates"');
  expect(section(own, 'quotas')).toMatch(/disk-CLOUD_SSD.*gibibytes.*of one project/s);
  expect(section(own, 'quotas')).not.toContain('postpaid');
  expect(section(own, 'disks')).toContain('encryption went from on to off');
  expect(section(own, 'disks')).not.toContain('CLOUD_PREMIUM');
  expect(section(own, 'changes')).toContain('encryption went from on to off');
});

/** A file that asks for disks alone, and a way to run a command with it. */
async function arrange() {
  const { url } = await startDiskService({
    CLOUD_SSD: { Used: 950, Limit: 1_000, Encrypted: true },
  });
  const regions = [{ name: 'ap-guangzhou', disk_types: ['CLOUD_SSD'] }];
  const config = {
    api: { endpoint: url, max_attempts: 1 },
    accounts: [{ ...account, quota_types: [], regions }],
  };
  const file = await temporaryFile('config.yaml', JSON.stringify(config));
  return (...args: readonly string[]) => runHere([...args, `--config.file=${file}`]);
}

test('with a third kind of target, check lists the disks in tables, and a quota that is nearly gone is critical', async () => {
  const run = await arrange();

  const { code, stdout } = await run('check', '--all');

  expect(code).toBe(2);
  expect(stdout).toContain(
    '1 quota critical: disk-CLOUD_SSD in ap-guangzhou of production: 50 of 1,000',
  );
  expect(stdout).toMatch(
    /critical +disk-CLOUD_SSD CLOUD_SSD gibibytes +ap-guangzhou .*5 % +50 of 1,000 +950\n/,
  );
  expect(stdout).toMatch(/DISK TYPE +REGION +ENCRYPTION\nCLOUD_SSD +ap-guangzhou +on\n/);
});

test('with a third kind of target, check-config lists its targets with their details', async () => {
  const run = await arrange();

  const { stdout } = await run('check-config');

  expect(stdout).toContain('  production  ap-guangzhou  DescribeDiskQuota  CLOUD_SSD  project 7\n');
});

test('with a third kind of target, print-policy allows its operation', async () => {
  const run = await arrange();

  const { stdout } = await run('print-policy');

  expect(JSON.parse(stdout).statement[0].action).toEqual(['name/cbs:DescribeDiskQuota']);
});

test.each([
  [
    'a value that is none',
    '{ name: ap-guangzhou, disk_types: [CLOUD_SSD, CLOUD] }',
    /^config\.yaml:4:55: accounts\[0\]\.regions\[0\]\.disk_types\[1\]: /,
  ],
  [
    'what is wrong with the region as a whole',
    '{ name: ap-singapore, disk_types: [CLOUD_TSSD] }',
    /^config\.yaml:4:44: accounts\[0\]\.regions\[0\]\.disk_types\[0\]: is not sold in ap-singapore$/,
  ],
  [
    'a key that is nearly one',
    '{ name: ap-guangzhou, disk_type: [CLOUD_SSD] }',
    /^config\.yaml:4:31: .*unknown key; did you mean disk_types\?$/,
  ],
])(
  'a configuration with keys of a third kind tells the line and the column of %s',
  (_what, region, message) => {
    const text = `accounts:\n  - name: production\n    regions:\n      - ${region}\n`;

    expect(() => parseConfig(text, 'config.yaml', collectors)).toThrow(message);
  },
);

test('a configuration with keys of a third kind is refused by a program without that kind', () => {
  const regions = [{ name: 'ap-guangzhou', disk_types: ['CLOUD_SSD'] }];
  const config = JSON.stringify({ accounts: [{ ...account, regions }] });

  const own = new CollectorSet(collectors.all.slice(0, -1));
  expect(() => parseConfig(config, 'config.yaml', own)).toThrow('disk_project');
});
