/** `check --output=scenario`: an emulator that is started with it answers the same figures. */
import { expect, test } from 'vitest';
import { temporaryFile } from '../support/directories.ts';
import { emulate } from '../support/emulator.ts';
import { Samples } from '../support/exposition.ts';
import { runHere } from '../support/in-process.ts';

async function check(url: string, output: string) {
  const credentials = { type: 'none' };
  const regions = { launch_templates: 'all' };
  const account = { name: 'production', credentials, launches: true, regions };
  const config = { api: { endpoint: url }, accounts: [account] };
  const file = await temporaryFile('config.yaml', JSON.stringify(config));
  return runHere(['check', `--config.file=${file}`, `--output=${output}`]);
}

/** Every figure of the service, without what belongs to the poll itself. */
async function figures(url: string): Promise<string[]> {
  const { stdout } = await check(url, 'prometheus');
  return new Samples(stdout).all
    .filter(({ name }) => /^cvm_(?!monitor_)/.test(name) && !name.endsWith('_timestamp_seconds'))
    .map(({ labels, name, value }) => {
      const { template_name: _template, scaling_group_name: _group, ...others } = labels;
      return `${name} ${JSON.stringify(others)} ${value}`;
    })
    .toSorted((a, b) => a.localeCompare(b));
}

test('the scenario that check writes has the same quotas, launches, disks and groups, without names and user data', async () => {
  const scenario = `
    accounts:
      - name: production
        app_id: 251000001
        regions:
          - name: ap-guangzhou
            zones:
              - name: ap-guangzhou-3
                postpaid: { used: 12, limit: 288 }
                prepaid: { used: 5, limit: 100, once_limit: 30 }
                spotpaid: { used: 250, limit: 240 }
                instance_types: [{ type: S5.LARGE8, cpu: 2, memory: 8, stock: UnderStock }]
              - name: ap-guangzhou-4
                postpaid: { used: 1, limit: 10, fields: { RemainingQuota: 4 } }
            image: { used: 3, limit: 10 }
            disaster_recover_group: { used: 1, limit: 5, instances_per_group: { host: 7, switch: 8, rack: 9 } }
            subnets: [{ id: subnet-bthucmmy, zone: ap-guangzhou-3, total: 13, available: 12 }]
            placement_groups: [{ id: ps-1y147q03, used: 28, limit: 30 }]
            disks:
              - { type: CLOUD_SSD, usage: DATA_DISK, availability: sold-out }
              - { type: CLOUD_HSSD, availability: available, fields: { Available: null } }
              - { type: CLOUD_TSSD, availability: not-offered }
            launch_configurations:
              - id: asc-ouy1ax38
                instance_types: [S5.LARGE8]
                fields:
                  InstanceChargeType: SPOTPAID
                  SystemDisk: { DiskType: CLOUD_TSSD }
                  DataDisks: [{ DiskType: CLOUD_HSSD }]
                  DisasterRecoverGroupIds: []
                  UserData: MARKED-DATA
            scaling_groups:
              - id: asg-12wjuh0s
                name: MARKED-NAME
                launch_configuration: asc-ouy1ax38
                max_size: 9
                instances: 4
                status: LB_ABNORMAL
                subnets: [subnet-bthucmmy]
            launch_templates:
              - id: lt-b8v1kcyq
                name: MARKED-NAME
                default_version: 5
                versions:
                  - 1
                  - version: 5
                    description: MARKED-DESCRIPTION
                    data:
                      InstanceType: S5.LARGE8
                      Placement: { Zone: ap-guangzhou-3 }
                      VirtualPrivateCloud: { SubnetId: subnet-bthucmmy }
                      InstanceCount: 14
                      SystemDisk: { DiskType: CLOUD_PREMIUM }
                      DataDisks: [{ DiskType: CLOUD_SSD }, { DiskType: CLOUD_HSSD }]
                      DisasterRecoverGroupIds: [ps-1y147q03]
                      UserData: MARKED-DATA
                  - 47
          - { name: ap-seoul, image: { used: 0, limit: 20 } }
  `;
  const service = await emulate({ scenario: await temporaryFile('scenario.yaml', scenario) });

  const { code, stdout } = await check(service.url, 'scenario');
  const copy = await emulate({ scenario: await temporaryFile('scenario.yaml', stdout) });

  expect(code).toBe(2);
  expect(stdout).not.toContain('MARKED');
  const expected = await figures(service.url);
  expect(expected.length).toBeGreaterThan(30);
  expect(await figures(copy.url)).toEqual(expected);
});
