/**
 * The launches of a region, and what the kinds share that ask for what launches need: stock, disks, subnets and placement
 * groups spread {@link neededByLaunches} into their collectors.
 */
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
 * The launches of a region: those that a check asks about, those that the configuration names, of versions of
 * templates, and of the scaling groups that are not disabled. Zone: empty if nothing names one, so that any of the region
 * will do; `null` if it cannot be read, and for a configured type without zones. After a failed poll, the last launches of
 * its target stay.
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
 * The members of a kind that has one target in a region, for all that its launches need. The target exists where
 * launches are judged, also with nothing to ask, and where the configuration itself names something to ask.
 *
 * @param namesIn see {@link asksAbout}
 * @param targetOf adds to the target what the launches need. Without judged launches, it gets none
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
