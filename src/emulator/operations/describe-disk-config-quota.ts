/**
 * DescribeDiskConfigQuota of cbs: the disks that instances can have (docs/service.md, section 16.5). Every disk of each
 * family that a zone sells has a row, unless `disks` of the scenario says otherwise. Not published, so we chose: CPU and
 * Memory select the families that have such a type, an unknown zone or value is InvalidParameterValue, and the
 * InquiryType INQUIRY_CBS_CONFIG, for disks without instances, is UnsupportedOperation.
 */
import {
  integerOf,
  refuseUnknown,
  stringOf,
  stringsOf,
  type Parameters,
} from '../protocol/parameters.ts';
import { required, ServiceError } from '../protocol/service-error.ts';
import { diskSelectors, familyOf, type Region, type Zone } from '../scenario/region.ts';
import { chargeTypeNames, diskChargeTypes, diskTypes, diskUsages } from '../scenario/vocabulary.ts';
import { withOverrides, type Operation } from './operation.ts';

const lists = ['Zones', 'DiskTypes', 'InstanceFamilies'];
const single = ['InquiryType', 'DiskUsage', 'DiskChargeType', 'CPU', 'Memory'];

export const describeDiskConfigQuota: Operation = (parameters, { region }) => {
  refuseUnknown(parameters, [...lists, ...single]);
  const inquiry = required(stringOf(parameters, 'InquiryType'), 'InquiryType');
  if (inquiry === 'INQUIRY_CBS_CONFIG') throw new ServiceError('UnsupportedOperation');
  if (inquiry !== 'INQUIRY_CVM_CONFIG') throw new ServiceError('InvalidParameterValue');
  const usage = stringOf(parameters, 'DiskUsage');
  const chargeType = stringOf(parameters, 'DiskChargeType');
  const zoneNames = region.zones.map(({ name }) => name);
  const chargeTypes = diskChargeTypes.map((name) => chargeTypeNames[name]);
  const asked = {
    zones: chosen(stringsOf(parameters, 'Zones'), zoneNames),
    types: chosen(stringsOf(parameters, 'DiskTypes'), diskTypes),
    usages: chosen(usage === null ? null : [usage], diskUsages),
    chargeTypes: chosen(chargeType === null ? null : [chargeType], chargeTypes),
  };
  const rows = region.zones
    .filter(({ name }) => asked.zones.includes(name))
    .flatMap((zone) => familiesOf(zone, parameters))
    .flatMap((disk) => asked.types.map((type) => ({ ...disk, type })))
    .flatMap((disk) => asked.usages.map((name) => ({ ...disk, usage: name })))
    .flatMap((disk) => diskChargeTypes.map((charge_type) => ({ ...disk, charge_type })))
    .filter((disk) => asked.chargeTypes.includes(chargeTypeNames[disk.charge_type]))
    .flatMap((disk) => diskRow(disk, region));
  return { DiskConfigSet: rows };
};

/**
 * The values that a request asks for: all that exist without the parameter.
 *
 * @throws ServiceError when one does not exist
 */
function chosen(asked: readonly string[] | null, existing: readonly string[]): readonly string[] {
  const isUnknown = asked?.some((value) => !existing.includes(value)) ?? false;
  if (isUnknown) throw new ServiceError('InvalidParameterValue');
  return asked ?? existing;
}

/** The families that the zone sells and the request asks for. */
function familiesOf({ name: zone, instance_types: types }: Zone, parameters: Parameters) {
  const asked = stringsOf(parameters, 'InstanceFamilies');
  const cpu = integerOf(parameters, 'CPU');
  const memory = integerOf(parameters, 'Memory');
  const families = types
    .filter((type) => (cpu ?? type.cpu) === type.cpu && (memory ?? type.memory) === type.memory)
    .map(familyOf)
    .filter((family) => asked?.includes(family) ?? true);
  return [...new Set(families)].map((instance_family) => ({ zone, instance_family }));
}

type DiskOfZone = Readonly<
  Record<Exclude<(typeof diskSelectors)[number], 'charge_type'>, string>
> & {
  readonly charge_type: (typeof diskChargeTypes)[number];
};

/** The row of a disk, with what the scenario says of it. None when it is not offered. */
function diskRow(disk: DiskOfZone, { disks }: Region) {
  // What an entry does not say is for every value.
  const entry = disks.findLast((one) =>
    diskSelectors.every((key) => (one[key] ?? disk[key]) === disk[key]),
  );
  if (entry?.availability === 'not-offered') return [];
  const row = {
    Available: entry?.availability !== 'sold-out',
    Zone: disk.zone,
    DiskType: disk.type,
    DiskUsage: disk.usage,
    DiskChargeType: chargeTypeNames[disk.charge_type],
    InstanceFamily: disk.instance_family,
    DeviceClass: null,
    MinDiskSize: 20,
    MaxDiskSize: 32_000,
    StepSize: 10,
    Price: null,
  };
  return [withOverrides(row, entry ?? {})];
}
