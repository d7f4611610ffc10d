/** All launches of a region: what the kinds plan by that ask for what launches need. */
import { launchesOfGroup } from '../model/launches/options.ts';
import type { TargetRecord } from '../model/record.ts';
import { configuredLaunches, type LaunchSettings } from './launch-settings.ts';
import { launchesOfTemplates } from './launch-template/launch-template.ts';
import { configurationsIn } from './scaling/configurations.ts';
import { groupsIn } from './scaling/groups.ts';

/**
 * What a check asks about and what the configuration names, the default versions of the templates among the records, and the scaling groups among them
 * that are not disabled: each with its types, charge types and zones. An empty zone, or `null`: any of the region, or unknown.
 */
export function launchesOfRegion(
  { asked, regionKeys }: Pick<LaunchSettings, 'asked' | 'regionKeys'>,
  records: readonly TargetRecord[],
) {
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
