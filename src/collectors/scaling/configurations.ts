/**
 * The kind for what the scaling groups of a region start: DescribeLaunchConfigurations. The launches of groups are made
 * of its answers. UserData is never read.
 */
import { z } from 'zod';
import { launchConfigurationSchema } from '../../model/launches/launch.ts';
import { snapshotSchema } from '../../model/poll-outcome.ts';
import { recordSchema } from '../../model/record.ts';
import { text, type Stored } from '../../model/stored.ts';
import { as, defineCollector } from '../collector.ts';
import { launchConfiguration, launchConfigurationId, type LaunchKeys } from '../keys.ts';
import {
  areGroupsJudged,
  asksAbout,
  chargeTypeOf,
  diskAndGroupFields,
  disksOf,
  enabledGroups,
  unjudgedChargeType,
} from '../launch-settings.ts';
import { readByIds } from '../lists.ts';
import { field, printableText, rowOf } from '../rows.ts';
import { scalingGroupCollector } from './groups.ts';

const stored = recordSchema({
  /** The IDs of the launch configurations of the scaling groups that are not disabled. */
  target: { ids: z.array(text) },
  durable: {},
  snapshot: snapshotSchema({ configurations: z.array(launchConfigurationSchema) }),
});
type ConfigurationRecord = Stored<typeof stored>;

/**
 * A launch configuration without its ID. `check --plan` reads those of a plan of Terraform with it, too. A field is
 * `null` if it cannot be read. No other field is read, because UserData may hold secrets.
 */
export const configurationRow = rowOf({
  status: field('LaunchConfigurationStatus', printableText),
  types: field('InstanceTypes', z.array(printableText).min(1), []),
  type: field('InstanceType', printableText),
  paid: field('InstanceChargeType', printableText, 'POSTPAID_BY_HOUR'),
  policy: field('DiskTypePolicy', z.enum(['ORIGINAL', 'AUTOMATIC']), 'ORIGINAL'),
  ...diskAndGroupFields,
}).transform(({ dataDisks, paid, placementGroups, policy, status, systemDisk, type, types }) => ({
  status,
  // InstanceTypes has precedence. InstanceType alone says it if the list is absent.
  instanceTypes: types?.length === 0 ? (type === null ? null : [type]) : types,
  chargeType: chargeTypeOf(paid),
  unjudged: unjudgedChargeType(paid),
  // AUTOMATIC: the service takes a type of disk that the zone has, so that no disk can be missing.
  disks: policy === 'AUTOMATIC' ? [] : policy && disksOf(systemDisk, dataDisks),
  placementGroups,
}));

const configurationSet = {
  name: 'LaunchConfigurationSet',
  noun: 'launch configurations',
  id: z.object({ LaunchConfigurationId: launchConfigurationId }),
  schema: configurationRow,
  parameter: 'LaunchConfigurationIds',
  // The launch configuration does not exist.
  codes: [
    'InvalidLaunchConfiguration',
    'InvalidLaunchConfigurationId',
    'InvalidParameterValue.InvalidLaunchConfigurationId',
  ],
};

export const configurationCollector = defineCollector<ConfigurationRecord, LaunchKeys>({
  ...asksAbout<ConfigurationRecord['target']>(({ ids }) => ids),
  kind: 'launch-configuration',
  operation: 'DescribeLaunchConfigurations',
  service: as,
  noun: 'launch configurations',
  follows: [scalingGroupCollector.operation],
  isLaunchPart: true,
  configuration: launchConfiguration,
  plan: (settings, facts) => {
    if (!areGroupsJudged(settings)) return [];
    const ids = new Set(enabledGroups(facts).flatMap(({ configurationId: id }) => id ?? []));
    return [{ ...settings.target, ids: [...ids].toSorted() }];
  },
  poll: async (ask, { target: { ids } }) => {
    const { anomalies, missing, rows } = await readByIds(ask, ids, configurationSet);
    const configurations = rows.map(({ name: id, row }) => ({ id, ...row }));
    return { snapshot: { configurations, missing }, anomalies };
  },
  stored,
  launchFacts: ({ observed }) => ({ configurations: observed.snapshot?.configurations ?? [] }),
  json: ({ configurations }) => ({
    launch_configurations: configurations.map((configuration) => ({
      launch_configuration_id: configuration.id,
      status: configuration.status,
      instance_types: configuration.instanceTypes,
      charge_type: configuration.chargeType,
    })),
  }),
});
