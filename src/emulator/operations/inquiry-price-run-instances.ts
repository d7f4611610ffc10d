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
import { required, ServiceError } from '../protocol/service-error.ts';
import { defaultPrice, defaultZone, type InstanceType, type Region } from '../scenario/region.ts';
import { versionData } from '../scenario/template.ts';
import {
  chargeTypeNames,
  chargeTypeValues,
  imageIdPattern,
  instanceTypePattern,
  snapshotIdPattern,
} from '../scenario/vocabulary.ts';
import { existingVersion } from './describe-launch-template-versions.ts';
import { existingTemplate } from './describe-launch-templates.ts';
import type { Operation } from './operation.ts';

const maxCount = 100;

/** The data of a version, of any content. What has another form counts as absent. */
const text = z.string().nullish().catch(null);
const dataSchema = z.object({
  Placement: z.object({ Zone: text }).nullish().catch(null),
  ImageId: text,
  InstanceType: text,
  InstanceChargeType: text,
  InstanceCount: z.int().nullish().catch(null),
  DataDisks: z
    .array(z.object({ SnapshotId: text }))
    .nullish()
    .catch(null),
  DisasterRecoverGroupIds: z.array(z.string()).nullish().catch(null),
});

export const inquiryPriceRunInstances: Operation = (parameters, { region }) => {
  const overriding = ['ImageId', 'InstanceType', 'InstanceChargeType', 'InstanceCount'];
  refuseUnknown(parameters, ['LaunchTemplate', 'Placement', ...overriding]);
  const data = dataSchema.parse(templateData(parameters, region));
  const placement = innerOf(parameters, 'Placement');
  const zone = (placement && stringOf(placement, 'Zone')) ?? data.Placement?.Zone ?? null;
  const image = stringOf(parameters, 'ImageId') ?? data.ImageId ?? null;
  const type = stringOf(parameters, 'InstanceType') ?? data.InstanceType ?? null;
  const chargeType =
    stringOf(parameters, 'InstanceChargeType') ?? data.InstanceChargeType ?? 'POSTPAID_BY_HOUR';
  const count = integerOf(parameters, 'InstanceCount') ?? data.InstanceCount ?? 1;
  if (!chargeTypeValues.includes(chargeType)) throw new ServiceError('InvalidParameterValue');
  if (count < 1 || count > maxCount) throw new ServiceError('InvalidParameterValue.Range');
  const types = typesOfZone(required(zone, 'Placement.Zone'), region);
  checkImage(required(image, 'ImageId'), region);
  const sold = type === null ? null : soldType(type, chargeType, { types, region });
  for (const { SnapshotId: id } of data.DataDisks ?? []) checkSnapshot(id ?? null, region);
  for (const id of data.DisasterRecoverGroupIds ?? []) checkPlacementGroup(id, count, region);
  return { Price: { InstancePrice: priceRow(sold, chargeType, count), BandwidthPrice: null } };
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

/** @throws ServiceError when the region has no such zone */
function typesOfZone(name: string, { zones }: Region): readonly InstanceType[] {
  const zone = zones.find((candidate) => candidate.name === name);
  if (zone === undefined) throw new ServiceError('InvalidParameterValue.ZoneNotSupported');
  return zone.instance_types;
}

function checkImage(id: string, { images }: Region): void {
  if (!imageIdPattern.test(id)) throw new ServiceError('InvalidImageId.Malformed');
  if (images?.includes(id) === false) throw new ServiceError('InvalidImageId.NotFound');
}

/** @param id `null` for a disk without a snapshot */
function checkSnapshot(id: string | null, { snapshots }: Region): void {
  if (id === null) return;
  const isMalformed = !snapshotIdPattern.test(id);
  if (isMalformed) throw new ServiceError('InvalidParameterValue.SnapshotIdMalformed');
  if (snapshots?.includes(id) === false)
    throw new ServiceError('InvalidParameter.SnapshotNotFound');
}

/** @throws ServiceError when the zone, which has these types, does not sell the type for the charge type now */
function soldType(
  name: string,
  chargeType: string,
  { types, region }: { readonly types: readonly InstanceType[]; readonly region: Region },
): InstanceType {
  if (!instanceTypePattern.test(name)) throw new ServiceError('InvalidInstanceType.Malformed');
  const isNamed = ({ type }: InstanceType): boolean => type === name;
  if (!region.zones.some((zone) => zone.instance_types.some(isNamed))) {
    throw new ServiceError('InvalidParameterValue.InstanceTypeNotFound');
  }
  const sold = types
    .filter(isNamed)
    .find(({ charge_types: names }) => names.some((name) => chargeTypeNames[name] === chargeType));
  if (sold === undefined) throw new ServiceError('ResourceUnavailable.InstanceType');
  if (sold.stock !== 'WithoutStock') return sold;
  throw new ServiceError('ResourcesSoldOut.SpecifiedInstanceType');
}

/** @throws ServiceError when the group does not exist, or has no room for `count` instances */
function checkPlacementGroup(id: string, count: number, { placement_groups: groups }: Region) {
  const group = groups.find((candidate) => candidate.id === id);
  if (group === undefined) throw new ServiceError('FailedOperation.DisasterRecoverGroupNotFound');
  if (group.used + count > group.limit) {
    throw new ServiceError('ResourceInsufficient.DisasterRecoverGroupCvmQuota');
  }
}

/** @param type `null` when nobody said it: then the price is that of a type without one */
function priceRow(type: InstanceType | null, chargeType: string, count: number) {
  const isPrepaid = chargeType === chargeTypeNames.prepaid;
  const price = count * (type?.price ?? defaultPrice(isPrepaid));
  return isPrepaid
    ? { OriginalPrice: price, DiscountPrice: price, Discount: 100 }
    : { UnitPrice: price, UnitPriceDiscount: price, Discount: 100, ChargeUnit: 'HOUR' };
}
