/** The commands, for a configuration whose targets discovery finds. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmulator, type OperationName } from '../../../src/emulator/emulator.ts';
import { runCommand } from '../../support/command-line.ts';
import { startDaemon } from '../../support/daemon-process.ts';
import { temporaryFile } from '../../support/directories.ts';
import { idOf, oneRegion, region, templates } from './stage.ts';

const operations: readonly OperationName[] = [
  'DescribeAccountQuota',
  'DescribeLaunchTemplateVersions',
  'DescribeLaunchTemplates',
  'DescribeRegions',
  'DescribeZones',
];

/** An emulator that allows these operations, and the configuration of its account. */
async function start(account: string, allowed = operations, regions = oneRegion(templates(3))) {
  const emulator = await startEmulator({
    scenario: {
      accounts: [
        {
          name: 'production',
          denied_operations: operations.filter((each) => !allowed.includes(each)),
          regions,
        },
      ],
    },
  });
  onTestFinished(emulator.close);
  const config = `api: { endpoint: "${emulator.url}", max_attempts: 1 }
accounts: [{ name: production, credentials: { type: none }, ${account} }]`;
  const file = await temporaryFile('config.yaml', config);
  return { config, emulator, fileFlag: `--config.file=${file}` };
}

const everyTemplate = `regions: [{ name: ${region}, launch_templates: all }]`;

/** The operations that print-policy allows to the key of an account. */
async function allowedTo(account: string): Promise<OperationName[]> {
  const file = await temporaryFile('signed.yaml', `accounts: [{ name: production, ${account} }]`);
  const { stdout } = await runCommand('print-policy', `--config.file=${file}`);
  const [{ policy }] = JSON.parse(stdout) as [{ policy: { statement: [{ action: string[] }] } }];
  return policy.statement[0].action.map((each) => each.replace('name/cvm:', '') as OperationName);
}

describe('check', () => {
  test('polls the templates that the region has', async () => {
    const { fileFlag } = await start(`quota_types: [], ${everyTemplate}`);

    const { code, stdout } = await runCommand('check', '--output=json', fileFlag);

    const { targets } = JSON.parse(stdout) as { targets: { template_id: string; up: boolean }[] };
    expect(targets).toMatchObject(
      [null, ...[1, 2, 3].map(idOf)].map((template_id) => ({ template_id, up: true })),
    );
    expect(code).toBe(0);
  });

  test('leaves out a region that does not offer the operation', async () => {
    const { emulator, fileFlag } = await start('regions: all', operations, [
      { name: region, image: { used: 1, limit: 10 } },
      { name: 'ap-seoul', image: { used: 1, limit: 10 } },
    ]);
    const polled = async () => {
      const { code, stdout } = await runCommand('check', '--output=json', fileFlag);
      const { targets } = JSON.parse(stdout) as {
        targets: { region: string; operation: string }[];
      };
      return { code, regions: targets.slice(1).map((each) => each.region) };
    };
    expect(await polled()).toMatchObject({ regions: [region, 'ap-seoul'] });

    emulator.faults.add({ region: 'ap-seoul', effect: 'error', code: 'UnsupportedRegion' });

    expect(await polled()).toEqual({ code: 0, regions: [region] });
  });
});

describe('check-config', () => {
  test('says which requests the discovery of regions adds', async () => {
    const { fileFlag } = await start('regions: all');

    const { code, stdout } = await runCommand('check-config', fileFlag);

    expect(stdout).toContain('production  ap-guangzhou  DescribeRegions\n');
    expect(stdout).toContain('production  *  DescribeAccountQuota\n');
    expect(stdout).toMatch(/requests per cycle +1\n/);
    expect(stdout).toMatch(/^discovery +DescribeRegions, 1 times: 1 request an hour/m);
    expect(code).toBe(0);
  });

  test('says which requests discovery adds', async () => {
    const { fileFlag } = await start(everyTemplate);

    const { code, stdout } = await runCommand('check-config', fileFlag);

    expect(stdout).toContain(`production  ${region}  DescribeLaunchTemplates\n`);
    expect(stdout).toMatch(/requests per cycle +2\n/);
    expect(stdout).toMatch(/^discovery +DescribeLaunchTemplates, 1 times: 1 request per cycle /m);
    expect(code).toBe(0);
  });
});

describe('print-policy', () => {
  test.each([
    ['with quotas', everyTemplate],
    ['without quotas', `quota_types: [], ${everyTemplate}`],
    ['in every region', 'regions: { launch_templates: all }'],
  ])('allows what discovery needs, and nothing more, %s', async (_name, account) => {
    const allowed = await allowedTo(account);
    const { config } = await start(account, allowed);

    const daemon = await startDaemon({ config });
    await daemon.ready();

    const samples = await daemon.metrics();
    expect(samples.matching('cvm_launch_template_default_version')).toHaveLength(3);
    expect(samples.sum('cvm_monitor_poll_failures_total')).toBe(0);
    const used = samples
      .matching('cvm_monitor_api_requests_total')
      .filter(({ value }) => value > 0);
    expect(used.map(({ labels }) => labels.operation ?? '').sort()).toEqual(allowed);
  });
});
