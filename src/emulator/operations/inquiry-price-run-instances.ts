/**
 * InquiryPriceRunInstances: the price of a launch, or what refuses it (docs/service.md, section 16.5). Parameters
 * override what the version of the launch template says. The other parameters of RunInstances are not served. Not
 * published, so we chose: the order of the checks, and the codes of what does not exist. The price is that of all
 * instances.
 */
import { z } from 'zod';
import { parameterMap } from '../protocol/parameters.ts';
import { check, required } from '../protocol/service-error.ts';
import { chargeTypeOf, priceOf, type Region, type Zone } from '../scenario/region.ts';
import {
  chargeTypeNames,
  chargeTypeValues,
  imageId,
  instanceType,
  snapshotId,
} from '../scenario/vocabulary.ts';
import { existingTemplate, existingVersion, versionData } from './launch-templates.ts';
import { operation } from './operation.ts';

const maxCount = 100;

/** What a launch needs of the data of a version, which have any content. A value of another type counts as absent. */
const optional = <T>(schema: z.ZodType<T>) => schema.optional().catch(undefined);
const dataSchema = z.object({
  Placement: optional(z.object({ Zone: optional(z.string()) })),
  ImageId: optional(z.string()),
  InstanceType: optional(z.string()),
  InstanceChargeType: optional(z.string()),
  InstanceCount: optional(z.int()),
  DataDisks: optional(z.array(z.object({ SnapshotId: optional(z.string()) }))),
  DisasterRecoverGroupIds: optional(z.array(z.string())),
});

export const inquiryPriceRunInstances = operation(
  ({ text, integer }) => ({
    LaunchTemplate: parameterMap({ LaunchTemplateId: text, LaunchTemplateVersion: integer }),
    Placement: parameterMap({ Zone: text }),
    ImageId: text,
    InstanceType: text,
    InstanceChargeType: text,
    InstanceCount: integer,
  }),
  ({ LaunchTemplate, ...given }, { region }) => {
    const { LaunchTemplateId: id, LaunchTemplateVersion: number } = LaunchTemplate ?? {};
    const name = 'LaunchTemplate.LaunchTemplateId';
    const template = LaunchTemplate && existingTemplate(required(id, name), region);
    const version = template && existingVersion(template, number);
    const data = dataSchema.parse(version === undefined ? {} : versionData(version, region));
    const { DataDisks: disks = [], DisasterRecoverGroupIds: groups = [] } = data;
    // A parameter overrides the data of the version.
    const { InstanceType = data.InstanceType, InstanceCount = data.InstanceCount ?? 1 } = given;
    const { InstanceChargeType = data.InstanceChargeType ?? 'POSTPAID_BY_HOUR' } = given;
    check(chargeTypeValues.includes(InstanceChargeType), 'InvalidParameterValue');
    check(InstanceCount >= 1 && InstanceCount <= maxCount, 'InvalidParameterValue.Range');
    const zoneName = required(given.Placement?.Zone ?? data.Placement?.Zone, 'Placement.Zone');
    const zone = region.zones.find(({ name }) => name === zoneName);
    check(zone !== undefined, 'InvalidParameterValue.ZoneNotSupported');
    const image = required(given.ImageId ?? data.ImageId, 'ImageId');
    check(imageId.safeParse(image).success, 'InvalidImageId.Malformed');
    // A scenario without the list of images or snapshots has every one.
    check(region.images?.includes(image) ?? true, 'InvalidImageId.NotFound');
    const sold = soldType(InstanceType, InstanceChargeType, zone, region);
    for (const snapshot of disks.flatMap(({ SnapshotId }) => SnapshotId ?? [])) {
      check(snapshotId.safeParse(snapshot).success, 'InvalidParameterValue.SnapshotIdMalformed');
      check(region.snapshots?.includes(snapshot) ?? true, 'InvalidParameter.SnapshotNotFound');
    }
    for (const wanted of groups) {
      const group = region.placement_groups.find(({ id }) => id === wanted);
      check(group !== undefined, 'FailedOperation.DisasterRecoverGroupNotFound');
      const hasRoom = group.used + InstanceCount <= group.limit;
      check(hasRoom, 'ResourceInsufficient.DisasterRecoverGroupCvmQuota');
    }
    const isPrepaid = InstanceChargeType === chargeTypeNames.prepaid;
    const InstancePrice = priceOf(InstanceCount, isPrepaid, sold?.price);
    return { Price: { InstancePrice, BandwidthPrice: null } };
  },
);

/**
 * The type that a launch asks for; `undefined` for a launch of any type.
 *
 * @throws ServiceError when the zone does not sell the type for the charge type now
 */
function soldType(wanted: string | undefined, chargeType: string, zone: Zone, region: Region) {
  if (wanted === undefined) return undefined;
  check(instanceType.safeParse(wanted).success, 'InvalidInstanceType.Malformed');
  const entriesIn = (place: Zone) => place.instance_types.filter(({ type }) => type === wanted);
  const isSoldAnywhere = region.zones.some((place) => entriesIn(place).length > 0);
  check(isSoldAnywhere, 'InvalidParameterValue.InstanceTypeNotFound');
  const sold = entriesIn(zone).find((type) => chargeTypeNames[chargeTypeOf(type)] === chargeType);
  check(sold !== undefined, 'ResourceUnavailable.InstanceType');
  check(sold.stock !== 'WithoutStock', 'ResourcesSoldOut.SpecifiedInstanceType');
  return sold;
}
