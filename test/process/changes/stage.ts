/** Where the rows of the table of changes are played: one region, one template, one gateway. */
import type { ScenarioInput } from '../../../src/emulator/emulator.ts';
import { edited, startGateway, type Gateway } from '../../support/gateway.ts';
import { startMonitor, type Monitor } from '../../support/monitor.ts';

export const region = 'ap-guangzhou';
export const templateId = 'lt-b8v1kcyq';
export const zone = 'ap-guangzhou-3';

/** The quotas of {@link zone}; of prepaid, 20 were bought this month. */
export const zoneQuotas = {
  postpaid: { used: 3, limit: 300 },
  prepaid: { used: 20, limit: 200, once_limit: 300 },
  spotpaid: { used: 8, limit: 80 },
};

export const template = { id: templateId, default_version: 2, versions: [1, 2, 5] };

const scenario: ScenarioInput = {
  requests_per_second: 1_000_000,
  accounts: [
    {
      name: 'production',
      regions: [
        {
          name: region,
          zones: [
            { name: zone, ...zoneQuotas },
            { name: 'ap-guangzhou-4', ...zoneQuotas },
          ],
          image: { used: 7, limit: 10 },
          launch_templates: [template],
        },
      ],
    },
  ],
};

export interface Stage {
  readonly monitor: Monitor;
  readonly emulator: Monitor['emulator'];
  readonly gateway: Gateway;
}

export async function startStage(): Promise<Stage> {
  const gateways: Gateway[] = [];
  const monitor = await startMonitor({
    scenario,
    serviceUrl: async (emulator) => {
      const gateway = await startGateway(emulator);
      gateways.push(gateway);
      return gateway.url;
    },
    config: ({ endpoint }) => ({
      api: { endpoint, max_attempts: 1 },
      accounts: [
        {
          name: 'production',
          credentials: { type: 'none' },
          regions: [{ name: region, launch_templates: [templateId] }],
        },
      ],
    }),
  });
  return { monitor, emulator: monitor.emulator, gateway: gateways[0]! };
}

interface VersionRow {
  LaunchTemplateVersion: number;
  IsDefaultVersion: boolean;
}

/** Lets the service list other versions than it has. */
export function listVersions(
  { gateway }: Stage,
  edit: (rows: readonly VersionRow[]) => readonly VersionRow[],
): void {
  const replacement = edited((fields) => {
    fields.LaunchTemplateVersionSet = edit(fields.LaunchTemplateVersionSet as VersionRow[]);
    fields.TotalCount = fields.LaunchTemplateVersionSet.length;
  });
  gateway.replacementFor = ({ query }) =>
    query.Action === 'DescribeLaunchTemplateVersions' ? replacement : null;
}

/** Lets the service say the truth again. */
export function listTruly({ gateway }: Stage): void {
  gateway.replacementFor = () => null;
}
