/** The launches of a region, and what the kinds share that ask for what launches need. */
import { plainLaunch, type Launch } from '../model/launches/launch.ts';
import { launchesOfGroup } from '../model/launches/options.ts';
import { configurationsById, type TargetFacts } from '../model/launches/region-facts.ts';
import type { Target } from '../model/target.ts';
import { launchConfiguration } from './keys.ts';
import {
  areLaunchesJudged,
  asksAbout,
  configuredLaunches,
  enabledGroups,
  type LaunchSettings,
} from './launch-settings.ts';

/**
 * What a check asks about and what the configuration names, the versions of templates, and the scaling groups that are not
 * disabled: each with its types, charge types and zones. An empty zone, or `null`, is any of the region, or unknown.
 * A failed poll keeps what it found last.
 */
function launchesOfRegion(
  { asked, regionKeys }: LaunchSettings,
  facts: readonly TargetFacts[],
): readonly Launch[] {
  const configurations = configurationsById(facts);
  const ofGroups = enabledGroups(facts).flatMap((group) =>
    launchesOfGroup(group, configurations.get(group.configurationId ?? '')),
  );
  const ofTemplates = facts.flatMap(({ launches = [] }) =>
    launches.flatMap((launch) => ('unjudged' in launch ? [] : launch)),
  );
  const named = configuredLaunches(regionKeys).map((launch) => ({ ...plainLaunch, ...launch }));
  return [...(asked?.launches ?? []), ...named, ...ofTemplates, ...ofGroups];
}

/**
 * The members of a kind that has one target in a region, for all that its launches need.
 *
 * @param namesIn see {@link asksAbout}
 * @param targetOf adds to the target what launches need, of which there are none where none is judged
 */
export function neededByLaunches<T>(
  namesIn: (target: T) => readonly string[],
  targetOf: (target: Target, launches: readonly Launch[], settings: LaunchSettings) => T,
) {
  return {
    ...asksAbout(namesIn),
    configuration: launchConfiguration,
    follows: ['DescribeLaunchTemplateVersions', 'DescribeLaunchConfigurations'],
    isLaunchPart: true,
    plan: (settings: LaunchSettings, facts: readonly TargetFacts[]) => {
      const areJudged = areLaunchesJudged(settings);
      const launches = areJudged ? launchesOfRegion(settings, facts) : [];
      const target = targetOf(settings.target, launches, settings);
      return areJudged || namesIn(target).length > 0 ? [target] : [];
    },
  };
}
