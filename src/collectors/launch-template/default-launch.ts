/** The launch that the default version of a template would start. The kind shows it, and plans stock and subnets by it. */
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
}

/** The launch of the default version, or why it is not judged. Empty before the first success. */
export function launchesOfDefault(
  snapshot: LaunchTemplateSnapshot | null,
  { listed, resource }: TemplateOfLaunch,
): readonly (Launch | UnjudgedLaunch)[] {
  if (snapshot === null) return [];
  const { defaultVersion } = snapshot;
  const name = {
    templateId: resource.template_id,
    groupId: '',
    templateName: listed?.name ?? '',
    version: defaultVersion?.version ?? null,
  };
  const unjudged = (why: string) => [{ ...name, unjudged: why }];
  if (defaultVersion === null) return unjudged('no version is certain to be the default');
  const {
    chargeType: paid,
    count: instances,
    disks,
    instanceType,
    ipv6Count,
    placementGroups,
    subnet,
    zone,
  } = defaultVersion;
  if (instanceType === '') return unjudged('the version names no instance type');
  const unjudgedPaid = unjudgedChargeType(paid);
  if (unjudgedPaid !== null) return unjudged(unjudgedPaid);
  // `null`: the row of the template in the list is missing or cannot be read.
  const listedDefault = listed === null ? null : (listed?.defaultVersion ?? defaultVersion.version);
  return [
    {
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
      isVersionKnown: listedDefault === defaultVersion.version,
    },
  ];
}
