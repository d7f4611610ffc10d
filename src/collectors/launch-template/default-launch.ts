/**
 * Makes launches of the versions of a template: of the default one in the daemon, of those asked about in a check. The kinds
 * of versions and prices call it, and `check --plan` makes the templates of a plan with `launchOf`.
 */
import { ofNoTemplate, type Launch, type UnjudgedLaunch } from '../../model/launches/launch.ts';
import { chargeTypeOf, unjudgedChargeType } from '../launch-settings.ts';
import type { AskedTemplate, LaunchTemplateSnapshot, TemplateVersion } from './answer.ts';

/**
 * The launch of the default version, or why it is not judged; for a check, that of each version that it asks about, in their
 * order. Empty before the first success.
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
    const found = asked === null ? defaultVersion : askedVersions.find(isAsked);
    if (found) {
      // `null`: the row of the template in the list is missing or cannot be read. Absent: the configuration or a check names
      // the template, and no list can contradict.
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

/** The launch of a version, or why it is not judged. A check makes versions of what a plan creates, too. */
export function launchOf(name: LaunchName, starting: TemplateVersion): Launch | UnjudgedLaunch {
  const { chargeType: paid, instanceType, subnet, zone } = starting;
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
    count: starting.count,
    ipv6Count: starting.ipv6Count,
    disks: starting.disks,
    placementGroups: starting.placementGroups,
  };
}
