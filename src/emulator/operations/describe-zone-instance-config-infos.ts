/**
 * DescribeZoneInstanceConfigInfos: the instance types of each zone with their stock (docs/service.md, section 16.1).
 * Not published, so we chose: a zone of another region gets InvalidZone.MismatchRegion, and one that sells no types
 * ZoneNotSupported. On the international site, every filter but `instance-charge-type` is refused with InvalidFilter.
 */
import { check, unknownFilterError } from '../protocol/service-error.ts';
import {
  chargeTypeOf,
  familyOf,
  priceOf,
  type InstanceType,
  type Region,
} from '../scenario/region.ts';
import { chargeTypeNames, chargeTypeValues, instanceType } from '../scenario/vocabulary.ts';
import examples from './examples.json' with { type: 'json' };
import { operation, withOverrides } from './operation.ts';

/** For each filter: its name, the field of a row that it compares, and the check of a value. */
const rowFilters = [
  ['zone', 'Zone', checkZone],
  ['instance-family', 'InstanceFamily', () => undefined],
  ['instance-type', 'InstanceType', checkType],
  ['instance-charge-type', 'InstanceChargeType', checkChargeType],
] as const;

export const describeZoneInstanceConfigInfos = operation(
  ({ filters }) => ({ Filters: filters({ maxValues: 100 }) }),
  ({ Filters = [] }, { region, settings: { site } }) => {
    // Each row carries its type of the scenario as `type`, for the overrides.
    let rows = region.zones.flatMap(({ name, instance_types: types }) =>
      types.map((type) => ({ ...rowOfType(name, type, site), type })),
    );
    for (const { Name, Values } of Filters) {
      const isServed = site === 'domestic' || Name === 'instance-charge-type';
      if (Name === 'sort-keys' && isServed) {
        // The first key decides, so it is applied last: sorting keeps the order of equal rows.
        for (const key of Values.toReversed()) rows = rows.toSorted(orderOf(key));
        continue;
      }
      const filter = rowFilters.find(([name]) => name === Name);
      if (filter === undefined || !isServed) throw unknownFilterError(Name);
      const [, field, checkValue] = filter;
      for (const value of Values) checkValue(value, region);
      rows = rows.filter((row) => Values.includes(row[field]));
    }
    return { InstanceTypeQuotaSet: rows.map(({ type, ...row }) => withOverrides(row, type)) };
  },
);

/** @throws ServiceError when the region has no such zone, or the zone sells no types */
function checkZone(name: string, { zones }: Region): void {
  const zone = zones.find((candidate) => candidate.name === name);
  check(zone !== undefined, 'InvalidZone.MismatchRegion');
  check(zone.instance_types.length > 0, 'InvalidParameterValue.ZoneNotSupported');
}

/** @throws ServiceError when the value is not of the form of an instance type; it may be one that no zone sells */
function checkType(value: string): void {
  check(instanceType.safeParse(value).success, 'InvalidInstanceType.Malformed');
}

/** @throws ServiceError when the service has no such charge type */
function checkChargeType(value: string): void {
  check(chargeTypeValues.includes(value), 'InvalidFilter', 'The charge type does not exist.');
}

type Size = Pick<ReturnType<typeof rowOfType>, 'Cpu' | 'Memory'>;

/** The comparison of rows for a sort key such as `cpu:desc`. @throws ServiceError for another key */
function orderOf(key: string) {
  const [, field, direction] = /^(cpu|mem):(asc|desc)$/.exec(key) ?? [];
  const message = 'A sort key looks like `cpu:desc` or `mem:asc`.';
  check(field !== undefined, 'InvalidFilter', message);
  const sign = direction === 'desc' ? -1 : 1;
  return (a: Size, b: Size) => sign * (field === 'cpu' ? a.Cpu - b.Cpu : a.Memory - b.Memory);
}

/** The row of a type with all fields. The international site sends `null` for three of them. */
function rowOfType(zone: string, type: InstanceType, site: 'domestic' | 'international') {
  const chargeType = chargeTypeOf(type);
  const family = familyOf(type);
  const isSoldOut = type.stock === 'WithoutStock';
  const reason = isSoldOut ? 'ResourcesSoldOut.SpecifiedInstanceType' : '';
  const isDomestic = site === 'domestic';
  return {
    ...examples.InstanceTypeQuotaSet,
    Zone: zone,
    InstanceType: type.type,
    InstanceChargeType: chargeTypeNames[chargeType],
    Status: isSoldOut ? 'SOLD_OUT' : 'SELL',
    StatusCategory: isDomestic ? type.stock : null,
    SoldOutReason: isDomestic ? reason : null,
    Externals: isDomestic ? {} : null,
    Cpu: type.cpu,
    Memory: type.memory,
    InstanceFamily: family,
    TypeName: `Standard ${family}`,
    Price: priceOf(1, chargeType === 'prepaid', type.price),
  };
}
