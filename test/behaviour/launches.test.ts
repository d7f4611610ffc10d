/** Launches, from the answers of the emulator to metrics and the API. */
import { expect, test } from 'vitest';
import type { ScenarioInput } from '../../src/emulator/emulator.ts';
import { startMonitor, type MonitorOptions } from '../support/monitor.ts';

const region = 'ap-guangzhou';
const [three, four] = ['ap-guangzhou-3', 'ap-guangzhou-4'];
const [large, small] = ['subnet-large001', 'subnet-small001'];

const type = (name: string, stock = 'EnoughStock') => ({ type: name, cpu: 2, memory: 8, stock });

type Region = NonNullable<ScenarioInput['accounts']>[number]['regions'] extends
  | readonly (infer R)[]
  | undefined
  ? R
  : never;

/** A template whose default version starts S5.LARGE8 in the small subnet of zone 3. */
const template = (id: string, data: object = {}) => ({
  id,
  name: `name-of-${id}`,
  default_version: 1,
  versions: [
    {
      version: 1,
      data: {
        ImageId: 'img-1',
        InstanceType: 'S5.LARGE8',
        Placement: { Zone: three },
        VirtualPrivateCloud: { VpcId: 'vpc-1', SubnetId: small },
        ...data,
      },
    },
    { version: 2, data: { ImageId: 'img-1', InstanceType: 'S6.LARGE8' } },
  ],
});

function scenario(more: object = {}, account: object = {}): ScenarioInput {
  const zone = (name: string) => ({
    name,
    postpaid: { used: 10, limit: 100 },
    prepaid: { used: 0, limit: 50, once_limit: 3 },
    spotpaid: { used: 0, limit: 21 },
    instance_types: [type('S5.LARGE8'), type('S6.LARGE8')],
  });
  const regions = [
    {
      name: region,
      zones: [zone(three), zone(four)],
      subnets: [
        { id: large, zone: three, total: 253, available: 200 },
        { id: small, zone: three, total: 13, available: 12 },
      ],
      launch_templates: [template('lt-web00001')],
      ...more,
    },
  ] as unknown as Region[];
  return { accounts: [{ name: 'production', ...account, regions }] };
}

async function start(
  {
    account = {},
    regionKeys = {},
    more = {},
    service = {},
    thresholds = {},
  }: Partial<Record<'account' | 'regionKeys' | 'more' | 'service' | 'thresholds', object>> = {},
  options: Partial<MonitorOptions> = {},
) {
  const monitor = await startMonitor({
    scenario: scenario(more, service),
    config: ({ endpoint }) => ({
      api: { endpoint, proxy: 'none', max_attempts: 1, requests_per_second: 20 },
      thresholds,
      accounts: [
        {
          name: 'production',
          credentials: { type: 'none' },
          launches: true,
          regions: [{ name: region, launch_templates: ['lt-web00001'], ...regionKeys }],
          ...account,
        },
      ],
    }),
    ...options,
  });
  /** The samples of launches, without account and region. */
  const samples = async (name: string) =>
    (await monitor.text())
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`))
      .map((line) => line.replace(`account="production",region="${region}",`, ''))
      .map((line) => line.slice(name.length));
  const launches = async () =>
    ((await monitor.json('/api/v1/launches')) as { launches: Record<string, unknown>[] }).launches;
  const changes = async () =>
    ((await monitor.json('/api/v1/changes')) as { changes: Record<string, unknown>[] }).changes;
  const asked = (operation: string) =>
    monitor.emulator.requests.list().filter((each) => each.operation === operation);
  return { monitor, samples, launches, changes, asked };
}

const web = `template_id="lt-web00001",zone="${three}",instance_type="S5.LARGE8",charge_type="postpaid"`;

test('a launch has room for as many instances as its subnet has addresses', async () => {
  const { launches, samples } = await start();

  expect(await samples('cvm_launch_headroom')).toEqual([`{${web}} 12`]);
  expect(await samples('cvm_launch_blocked')).toEqual([
    `{${web},reason="quota"} 0`,
    `{${web},reason="sold-out"} 0`,
    `{${web},reason="not-offered"} 0`,
    `{${web},reason="subnet"} 0`,
  ]);
  expect(await samples('cvm_launch_unknown')).toEqual(
    ['quota', 'stock', 'subnet'].map((part) => `{${web},part="${part}"} 0`),
  );
  expect(await samples('cvm_launch_info')).toEqual([`{${web},version="1",subnet_id="${small}"} 1`]);
  expect(await launches()).toMatchObject([
    { state: 'fine', headroom: 12, sells_in: [three, four] },
  ]);
});
