/**
 * DescribeDiskConfigQuota of cbs: the disks that instances can have (docs/service.md, section 16.5). Every disk of each
 * family that a zone sells has a row, unless `disks` of the scenario says otherwise. Not published, so we chose: CPU and
 * Memory select the families that have such a type, an unknown zone or value is InvalidParameterValue, and the
 * InquiryType INQUIRY_CBS_CONFIG, for disks without instances, is UnsupportedOperation.
 */
import { check, required } from '../protocol/service-error.ts';
import { diskSelectors, familyOf } from '../scenario/region.ts';
import { chargeTypeNames, diskChargeTypes, diskTypes, diskUsages } from '../scenario/vocabulary.ts';
import { nameOf } from '../state/state.ts';
import examples from './examples.json' with { type: 'json' };
import { operation, withOverrides } from './operation.ts';

export const describeDiskConfigQuota = operation(
  ({ text, integer, list }) => ({
    InquiryType: text,
    Zones: list(text),
    DiskTypes: list(text),
    InstanceFamilies: list(text),
    DiskUsage: text,
    DiskChargeType: text,
    CPU: integer,
    Memory: integer,
  }),
  ({ InquiryType, DiskUsage, DiskChargeType, CPU, Memory, ...given }, { region }) => {
    const inquiry = required(InquiryType, 'InquiryType');
    check(inquiry !== 'INQUIRY_CBS_CONFIG', 'UnsupportedOperation');
    check(inquiry === 'INQUIRY_CVM_CONFIG', 'InvalidParameterValue');
    const zones = requested(given.Zones, region.zones.map(nameOf));
    const types = requested(given.DiskTypes, diskTypes);
    const usages = requested(DiskUsage, diskUsages);
    const chargeNames = diskChargeTypes.map((name) => chargeTypeNames[name]);
    const requestedNames = requested(DiskChargeType, chargeNames);
    const chargeTypes = diskChargeTypes.filter((name) =>
      requestedNames.includes(chargeTypeNames[name]),
    );
    // One disk for each combination of zone, family, type, usage and charge type.
    const disks = region.zones
      .filter(({ name }) => zones.includes(name))
      .flatMap(({ name: zone, instance_types: instanceTypes }) => {
        const families = instanceTypes
          .filter(({ cpu, memory }) => (CPU ?? cpu) === cpu && (Memory ?? memory) === memory)
          .map(familyOf)
          .filter((family) => given.InstanceFamilies?.includes(family) ?? true);
        return [...new Set(families)].map((instance_family) => ({ zone, instance_family }));
      })
      .flatMap((disk) => types.map((type) => ({ ...disk, type })))
      .flatMap((disk) => usages.map((usage) => ({ ...disk, usage })))
      .flatMap((disk) => chargeTypes.map((charge_type) => ({ ...disk, charge_type })));
    const rows = disks.flatMap((disk) => {
      // A selector that the entry lacks selects every disk. The last entry about a disk counts.
      const entry = region.disks.findLast((candidate) =>
        diskSelectors.every((key) => (candidate[key] ?? disk[key]) === disk[key]),
      );
      if (entry?.availability === 'not-offered') return [];
      const row = {
        ...examples.DiskConfigSet,
        Available: entry?.availability !== 'sold-out',
        Zone: disk.zone,
        DiskType: disk.type,
        DiskUsage: disk.usage,
        DiskChargeType: chargeTypeNames[disk.charge_type],
        InstanceFamily: disk.instance_family,
      };
      return [withOverrides(row, entry)];
    });
    return { DiskConfigSet: rows };
  },
);

/**
 * The values of a parameter: one or a list. Without the parameter, all that exist.
 *
 * @throws ServiceError when one does not exist
 */
function requested(given: string | readonly string[] | undefined, existing: readonly string[]) {
  const values = given === undefined ? existing : [given].flat();
  const doExist = values.every((value) => existing.includes(value));
  check(doExist, 'InvalidParameterValue');
  return values;
}
