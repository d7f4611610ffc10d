/**
 * InquiryPriceRunInstances: the price of a launch, or what refuses it (docs/service.md, section 16.5). Parameters
 * override what the version of the launch template says. The other parameters of RunInstances are not served. Not
 * published, so we chose: the order of the checks, and the codes of what does not exist. The price is that of all
 * instances.
 */
import { z } from 'zod';
import {
  innerOf,
  integerOf,
  refuseUnknown,
  stringOf,
  type Parameters,
} from '../protocol/parameters.ts';
import { check, required } from '../protocol/service-error.ts';
import {
  defaultPrice,
  defaultZone,
  type InstanceType,
  type Region,
  type Zone,
} from '../scenario/region.ts';
import { versionData } from '../scenario/template.ts';
import {
  chargeTypeNames,
  chargeTypeValues,
  imageId,
  instanceType,
  snapshotId,
} from '../scenario/vocabulary.ts';
import { existingVersion } from './describe-launch-template-versions.ts';
import { existingTemplate } from './describe-launch-templates.ts';
import type { Operation } from './operation.ts';

const maxCount = 100;

/** The data of a version, of any content. What has another form counts as absent. */
const optional = <T>(schema: z.ZodType<T>) => schema.nullish().catch(null);
const dataSchema = z.object({
  Placement: optional(z.object({ Zone: optional(z.string()) })),
  ImageId: optional(z.string()),
  InstanceType: optional(z.string()),
  InstanceChargeType: optional(z.string()),
  InstanceCount: optional(z.int()),
  DataDisks: optional(z.array(z.object({ SnapshotId: optional(z.string()) }))),
  DisasterRecoverGroupIds: optional(z.array(z.string())),
});

export const inquiryPriceRunInstances: Operation = (parameters, { region }) => {
  const overriding = ['ImageId', 'InstanceType', 'InstanceChargeType', 'InstanceCount'];
  refuseUnknown(parameters, ['LaunchTemplate', 'Placement', ...overriding]);
  const data = dataSchema.parse(templateData(parameters, region));
  const placement = innerOf(parameters, 'Placement');
  const zoneName = (placement && stringOf(placement, 'Zone')) ?? data.Placement?.Zone ?? null;
  const image = stringOf(parameters, 'ImageId') ?? data.ImageId ?? null;
  const type = stringOf(parameters, 'InstanceType') ?? data.InstanceType ?? null;
  const chargeType =
    stringOf(parameters, 'InstanceChargeType') ?? data.InstanceChargeType ?? 'POSTPAID_BY_HOUR';
  const count = integerOf(parameters, 'InstanceCount') ?? data.InstanceCount ?? 1;
  check(chargeTypeValues.includes(chargeType), 'InvalidParameterValue');
  check(count >= 1 && count <= maxCount, 'InvalidParameterValue.Range');
  const zone = existingZone(required(zoneName, 'Placement.Zone'), region);
  checkImage(required(image, 'ImageId'), region);
  const sold = type === null ? null : soldType(type, chargeType, zone, region);
  for (const { SnapshotId: id } of data.DataDisks ?? []) {
    if (typeof id !== 'string') continue;
    check(snapshotId.safeParse(id).success, 'InvalidParameterValue.SnapshotIdMalformed');
    check(region.snapshots?.includes(id) ?? true, 'InvalidParameter.SnapshotNotFound');
  }
  for (const wanted of data.DisasterRecoverGroupIds ?? []) {
    const group = region.placement_groups.find(({ id }) => id === wanted);
    check(group !== undefined, 'FailedOperation.DisasterRecoverGroupNotFound');
    const { used, limit } = group;
    check(used + count <= limit, 'ResourceInsufficient.DisasterRecoverGroupCvmQuota');
  }
  const isPrepaid = chargeType === chargeTypeNames.prepaid;
  const price = count * (sold?.price ?? defaultPrice(isPrepaid));
  const InstancePrice = isPrepaid
    ? { OriginalPrice: price, DiscountPrice: price, Discount: 100 }
    : { UnitPrice: price, UnitPriceDiscount: price, Discount: 100, ChargeUnit: 'HOUR' };
  return { Price: { InstancePrice, BandwidthPrice: null } };
};

/** The data of the version that LaunchTemplate names, by default the default version. Empty without LaunchTemplate. */
function templateData(parameters: Parameters, region: Region): object {
  const named = innerOf(parameters, 'LaunchTemplate');
  if (named === null) return {};
  const id = required(stringOf(named, 'LaunchTemplateId'), 'LaunchTemplate.LaunchTemplateId');
  const template = existingTemplate(id, region);
  const number = integerOf(named, 'LaunchTemplateVersion') ?? template.default_version;
  return versionData(existingVersion(template, number), defaultZone(region));
}

function existingZone(wanted: string, { zones }: Region): Zone {
  const zone = zones.find(({ name }) => name === wanted);
  check(zone !== undefined, 'InvalidParameterValue.ZoneNotSupported');
  return zone;
}

function checkImage(id: string, { images }: Region): void {
  check(imageId.safeParse(id).success, 'InvalidImageId.Malformed');
  check(images?.includes(id) ?? true, 'InvalidImageId.NotFound');
}

/** @throws ServiceError when the zone does not sell the type for the charge type now */
function soldType(wanted: string, chargeType: string, zone: Zone, region: Region): InstanceType {
  check(instanceType.safeParse(wanted).success, 'InvalidInstanceType.Malformed');
  const ofType = (one: Zone) => one.instance_types.filter(({ type }) => type === wanted);
  const isAnywhere = region.zones.some((one) => ofType(one).length > 0);
  check(isAnywhere, 'InvalidParameterValue.InstanceTypeNotFound');
  const sold = ofType(zone).find(
    ({ charge_types: [name = 'postpaid'] }) => chargeTypeNames[name] === chargeType,
  );
  check(sold !== undefined, 'ResourceUnavailable.InstanceType');
  check(sold.stock !== 'WithoutStock', 'ResourcesSoldOut.SpecifiedInstanceType');
  return sold;
}
