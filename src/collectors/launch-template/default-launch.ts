/** The launch that a version of a template would start, in the daemon the default one. The kind shows it, and plans stock and subnets by it. */
import type { Launch, UnjudgedLaunch } from '../../model/launches/launch.ts';
import { chargeTypeOf, unjudgedChargeType } from '../launch-settings.ts';
import type { LaunchTemplateSnapshot } from './answer.ts';

/** The fields of a template's target that say what its launch is called, and what the last list says of it. */
interface TemplateOfLaunch {
  readonly resource: { readonly template_id: string };
  /** `null` if the list lacks the template, or its row cannot be read. Absent without a list. */
  readonly listed?:
    | { readonly name: string; readonly defaultVersion: number | null }
    | null
    | undefined;
  /** The versions that a check asks about. `null`: the default one. Absent in the daemon. */
  readonly versions?: readonly (number | null)[] | undefined;
}

/**
 * The launch of the default version, or why it is not judged; for a check, that of each version that it asks about, in their
 * order. Empty before the first success.
 */
export function launchesOfTemplate(
  snapshot: LaunchTemplateSnapshot | null,
  target: TemplateOfLaunch,
): readonly (Launch | UnjudgedLaunch)[] {
  if (snapshot === null) return [];
  return (target.versions ?? [null]).map((asked) => {
    const { askedVersions = [], defaultVersion } = snapshot;
    if (asked === null) {
      return launchOf(defaultVersion, target, 'no version is certain to be the default');
    }
    const found = askedVersions.find(({ version }) => version === asked) ?? null;
    return launchOf(found, target, `the answer has no version ${asked}`);
  });
}

type StartingVersion = NonNullable<LaunchTemplateSnapshot['defaultVersion']>;

/** @param without why it is not judged without a version */
function launchOf(
  starting: StartingVersion | null,
  { listed, resource }: TemplateOfLaunch,
  without: string,
): Launch | UnjudgedLaunch {
  const name = {
    templateId: resource.template_id,
    groupId: '',
    templateName: listed?.name ?? '',
    version: starting?.version ?? null,
  };
  if (starting === null) return { ...name, unjudged: without };
  const {
    chargeType: paid,
    count: instances,
    disks,
    instanceType,
    ipv6Count,
    placementGroups,
    subnet,
    zone,
  } = starting;
  if (instanceType === '') {
    return { ...name, unjudged: 'the version names no instance type' };
  }
  const unjudgedPaid = unjudgedChargeType(paid);
  if (unjudgedPaid !== null) return { ...name, unjudged: unjudgedPaid };
  // `null`: the row of the template in the list is missing or cannot be read.
  const listedDefault = listed === null ? null : (listed?.defaultVersion ?? starting.version);
  return {
    ...name,
    zone,
    isZoneNamed: zone !== '',
    instanceType,
    // Without a charge type, instances are postpaid.
    chargeType: paid === '' ? 'postpaid' : chargeTypeOf(paid),
    subnets: subnet === null ? null : [subnet].filter((id) => id !== ''),
    subnetsBindOwnZonesOnly: false,
    count: instances,
    ipv6Count,
    disks,
    placementGroups,
    isVersionKnown: listedDefault === starting.version,
  };
}
