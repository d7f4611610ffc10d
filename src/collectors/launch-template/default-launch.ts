/**
 * Makes launches of the versions of a template: in the daemon of the default version, in a check of those that it asks
 * about. The kinds of versions and of prices call it. `check --plan` calls `launchOf` for the templates of a plan of
 * Terraform.
 */
import { ofNoTemplate, type Launch, type UnjudgedLaunch } from '../../model/launches/launch.ts';
import { chargeTypeOf, unjudgedChargeType } from '../launch-settings.ts';
import type { AskedTemplate, LaunchTemplateSnapshot, TemplateVersion } from './answer.ts';

/**
 * One launch, or why it is not judged, for each version that the target asks about, in that order: the default version
 * in the daemon. Empty before the first success.
 */
export function launchesOfTemplate(
  snapshot: LaunchTemplateSnapshot | null,
  { listed, resource, versions = [null] }: AskedTemplate,
): readonly (Launch | UnjudgedLaunch)[] {
  if (snapshot === null) return [];
  const { askedVersions = [], defaultVersion } = snapshot;
  const templateName = listed?.name ?? '';
  const template = { ...ofNoTemplate, templateId: resource.template_id, templateName };
  return versions.map((asked) => {
    const isAsked = ({ version }: TemplateVersion) => version === asked;
    // `null` asks about the default version.
    const found = asked === null ? defaultVersion : askedVersions.find(isAsked);
    if (found) {
      // `listed` is `null` if the list lacks the template, or its row cannot be read: it may have another default. It
      // is absent if the configuration or a check names the template: then no list can contradict.
      const listedDefault = listed === null ? null : (listed?.defaultVersion ?? found.version);
      const isVersionKnown = listedDefault === found.version;
      return launchOf({ ...template, version: found.version, isVersionKnown }, found);
    }
    const unjudged =
      asked === null ? 'no version is certain to be the default' : 'the answer lacks the version';
    return { ...template, unjudged };
  });
}

type LaunchName = Pick<Launch, keyof typeof ofNoTemplate>;

/** The launch of a version, or why it is not judged. @param name how the launch is called */
export function launchOf(name: LaunchName, version: TemplateVersion): Launch | UnjudgedLaunch {
  const { chargeType: paid, instanceType, subnet, zone } = version;
  if (instanceType === '') return { ...name, unjudged: 'nothing names its instance type' };
  const unjudged = unjudgedChargeType(paid);
  if (unjudged !== null) return { ...name, unjudged };
  return {
    ...name,
    zone,
    isZoneNamed: zone !== '',
    instanceType,
    // Without a charge type, instances are postpaid.
    chargeType: paid === '' ? 'postpaid' : chargeTypeOf(paid),
    subnets: subnet === null ? null : [subnet].filter((id) => id !== ''),
    subnetsBindOwnZonesOnly: false,
    count: version.count,
    ipv6Count: version.ipv6Count,
    disks: version.disks,
    placementGroups: version.placementGroups,
  };
}
