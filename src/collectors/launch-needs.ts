/** The launches of a region, and what the kinds share that ask for what launches need. */
import type { Launch } from '../model/launches/launch.ts';
import { launchesOfGroup } from '../model/launches/options.ts';
import type { Place } from '../model/launches/region-facts.ts';
import type { TargetRecord } from '../model/record.ts';
import { launchConfiguration } from './keys.ts';
import {
  areLaunchesJudged,
  asksAbout,
  configuredLaunches,
  type LaunchSettings,
} from './launch-settings.ts';
import { launchesOfTemplates } from './launch-template/launch-template.ts';
import { configurationsIn } from './scaling/configurations.ts';
import { groupsIn } from './scaling/groups.ts';

/** An empty zone, or `null`: any of the region, or unknown. */
type Needing = Pick<
  Launch,
  'zone' | 'instanceType' | 'chargeType' | 'subnets' | 'disks' | 'placementGroups'
>;

/**
 * What a check asks about and what the configuration names, the default versions of the templates among the records, and the
 * scaling groups among them that are not disabled: each with its types, charge types and zones.
 */
function launchesOfRegion(
  { asked, regionKeys }: LaunchSettings,
  records: readonly TargetRecord[],
): readonly Needing[] {
  const configurations = configurationsIn(records);
  const ofGroups = groupsIn(records)
    .filter(({ isEnabled }) => isEnabled !== false)
    .flatMap((group) =>
      launchesOfGroup(
        group,
        configurations.find(({ id }) => id === group.configurationId),
      ),
    );
  const named = configuredLaunches(regionKeys).map((launch) => {
    return { ...launch, disks: [], placementGroups: [] };
  });
  return [...(asked?.launches ?? []), ...named, ...launchesOfTemplates(records), ...ofGroups];
}

/**
 * The members of a kind that has one target in a region, for all that its launches need.
 *
 * @param namesIn see {@link asksAbout}
 * @param targetOf the target for launches, of which there are none where none is judged
 */
export function neededByLaunches<T>(
  namesIn: (target: T) => readonly string[],
  targetOf: (place: Place, launches: readonly Needing[], settings: LaunchSettings) => T,
) {
  return {
    ...asksAbout(namesIn),
    configuration: launchConfiguration,
    follows: ['DescribeLaunchTemplateVersions', 'DescribeLaunchConfigurations'],
    isLaunchPart: true,
    plan: (settings: LaunchSettings, records: readonly TargetRecord[]) => {
      const { account, region } = settings;
      const areJudged = areLaunchesJudged(settings);
      const launches = areJudged ? launchesOfRegion(settings, records) : [];
      const target = targetOf({ account, region }, launches, settings);
      return areJudged || namesIn(target).length > 0 ? [target] : [];
    },
  };
}
