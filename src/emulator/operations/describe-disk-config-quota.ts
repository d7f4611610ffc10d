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
import { diskSelectors, familyOf, type Disk, type Region, type Zone } from '../scenario/region.ts';
import { chargeTypeNames, diskChargeTypes, diskTypes, diskUsages } from '../scenario/vocabulary.ts';
import { withOverrides, type Operation } from './operation.ts';

const lists = ['Zones', 'DiskTypes', 'InstanceFamilies'];
const single = ['InquiryType', 'DiskUsage', 'DiskChargeType', 'CPU', 'Memory'];

export const describeDiskConfigQuota: Operation = (parameters, { region }) => {
  refuseUnknown(parameters, [...lists, ...single]);
  const inquiry = required(stringOf(parameters, 'InquiryType'), 'InquiryType');
  if (inquiry === 'INQUIRY_CBS_CONFIG') throw new ServiceError('UnsupportedOperation');
  if (inquiry !== 'INQUIRY_CVM_CONFIG') throw new ServiceError('InvalidParameterValue');
  let rows = region.zones.flatMap((zone) =>
    familiesOf(zone, parameters).flatMap((family) => diskRows(zone.name, family, region)),
  );
  const oneOf = (name: string) => [stringOf(parameters, name) ?? []].flat();
  const conditions: readonly Condition[] = [
    ['Zone', stringsOf(parameters, 'Zones') ?? [], region.zones.map(({ name }) => name)],
    ['DiskType', stringsOf(parameters, 'DiskTypes') ?? [], diskTypes],
    ['DiskUsage', oneOf('DiskUsage'), diskUsages],
    [
      'DiskChargeType',
      oneOf('DiskChargeType'),
      diskChargeTypes.map((name) => chargeTypeNames[name]),
    ],
  ];
  for (const [field, values, existing] of conditions) {
    if (!values.every((value) => existing.includes(value))) {
      throw new ServiceError('InvalidParameterValue');
    }
    if (values.length > 0) rows = rows.filter(({ row }) => values.includes(row[field]));
  }
  return { DiskConfigSet: rows.map(({ row, entry }) => withOverrides(row, entry)) };
};

/** A field of rows, the values that a request asks for (none for all), and those that exist. */
type Condition = readonly [
  field: 'Zone' | 'DiskType' | 'DiskUsage' | 'DiskChargeType',
  values: readonly string[],
  existing: readonly string[],
];

/** The families that the zone sells and the request asks for. */
function familiesOf({ instance_types: types }: Zone, parameters: Parameters): readonly string[] {
  const asked = stringsOf(parameters, 'InstanceFamilies');
  const cpu = integerOf(parameters, 'CPU');
  const memory = integerOf(parameters, 'Memory');
  const families = types
    .filter((type) => (cpu ?? type.cpu) === type.cpu && (memory ?? type.memory) === type.memory)
    .map(familyOf);
  return [...new Set(families)].filter((family) => asked?.includes(family) ?? true);
}

/** The rows of a family in a zone, each with what the scenario says of it. What is not offered has none. */
function diskRows(zone: string, family: string, { disks }: Region) {
  return diskTypes
    .flatMap((type) => diskUsages.map((usage) => ({ type, usage })))
    .flatMap((disk) => diskChargeTypes.map((charge_type) => ({ ...disk, charge_type })))
    .flatMap((disk) => {
      const entry: Partial<Disk> =
        disks.findLast((one) => isAbout(one, { ...disk, zone, instance_family: family })) ?? {};
      const row = {
        Available: entry.availability !== 'sold-out',
        Zone: zone,
        DiskType: disk.type,
        DiskUsage: disk.usage,
        DiskChargeType: chargeTypeNames[disk.charge_type],
        InstanceFamily: family,
        DeviceClass: null,
        MinDiskSize: 20,
        MaxDiskSize: 32_000,
        StepSize: 10,
        Price: null,
      };
      return entry.availability === 'not-offered' ? [] : [{ row, entry }];
    });
}

/** True when an entry of the scenario is about a disk: what the entry does not say is for every value. */
function isAbout(entry: Disk, disk: Omit<Disk, 'availability'>): boolean {
  return diskSelectors.every((key) => (entry[key] ?? disk[key]) === disk[key]);
}
