/**
 * DescribeZoneInstanceConfigInfos: the instance types of each zone with their stock (docs/service.md, section 16.1).
 * Not published, so we chose: a zone of another region gets InvalidZone.MismatchRegion, and one that sells no types
 * ZoneNotSupported. On the international site, every filter but `instance-charge-type` is refused with InvalidFilter.
 */
import { filtersOf, refuseUnknown } from '../protocol/parameters.ts';
import { check, unknownFilterError } from '../protocol/service-error.ts';
import { defaultPrice, familyOf, type InstanceType, type Region } from '../scenario/region.ts';
import { chargeTypeNames, chargeTypeValues, instanceType } from '../scenario/vocabulary.ts';
import { withOverrides, type Operation } from './operation.ts';

/** The filters, the field that each compares, and the check of a value. */
const rowFilters = [
  ['zone', 'Zone', checkZone],
  ['instance-family', 'InstanceFamily', () => undefined],
  ['instance-type', 'InstanceType', checkType],
  ['instance-charge-type', 'InstanceChargeType', checkChargeType],
] as const;

export const describeZoneInstanceConfigInfos: Operation = (parameters, context) => {
  refuseUnknown(parameters, ['Filters']);
  const { region, behaviour, site } = context;
  let rows = region.zones.flatMap(({ name, instance_types: types }) =>
    types.map((type) => ({ ...rowOfType(name, type, site), type })),
  );
  if (behaviour.sold_out_types === 'hidden') {
    rows = rows.filter(({ Status }) => Status === 'SELL');
  }
  for (const { name, values } of filtersOf(parameters, { maxValues: 100 })) {
    if (site === 'international' && name !== 'instance-charge-type') throw unknownFilterError(name);
    if (name === 'sort-keys') {
      // The first key decides, so it is applied last: sorting keeps the order of equal rows.
      for (const key of values.toReversed()) rows = sorted(rows, key);
      continue;
    }
    const filter = rowFilters.find(([known]) => known === name);
    if (filter === undefined) throw unknownFilterError(name);
    const [, field, checkValue] = filter;
    for (const value of values) checkValue(value, region);
    rows = rows.filter((row) => values.includes(row[field]));
  }
  return { InstanceTypeQuotaSet: rows.map(({ type, ...row }) => withOverrides(row, type)) };
};

/** @throws ServiceError when the region has no such zone, or the zone sells no types */
function checkZone(name: string, { zones }: Region): void {
  const zone = zones.find((candidate) => candidate.name === name);
  check(zone !== undefined, 'InvalidZone.MismatchRegion');
  check(zone.instance_types.length > 0, 'InvalidParameterValue.ZoneNotSupported');
}

function checkType(value: string): void {
  check(instanceType.safeParse(value).success, 'InvalidInstanceType.Malformed');
}

function checkChargeType(value: string): void {
  check(chargeTypeValues.includes(value), 'InvalidFilter', 'The charge type does not exist.');
}

/** @param key such as `cpu:desc` */
function sorted<T extends { readonly Cpu: number; readonly Memory: number }>(
  rows: readonly T[],
  key: string,
): T[] {
  const [, field, direction] = /^(cpu|mem):(asc|desc)$/.exec(key) ?? [];
  const message = 'A sort key looks like `cpu:desc` or `mem:asc`.';
  check(field !== undefined, 'InvalidFilter', message);
  const sign = direction === 'desc' ? -1 : 1;
  return rows.toSorted((a, b) => sign * (field === 'cpu' ? a.Cpu - b.Cpu : a.Memory - b.Memory));
}

/** The row of a type with all fields. The international site sends `null` for three of them. */
function rowOfType(zone: string, type: InstanceType, site: 'domestic' | 'international') {
  const {
    // A type of the state has one charge type: the schema splits it by charge types.
    charge_types: [chargeType = 'postpaid'],
  } = type;
  const family = familyOf(type);
  const price = type.price ?? defaultPrice(chargeType === 'prepaid');
  const isSoldOut = type.stock === 'WithoutStock';
  const reason = isSoldOut ? 'ResourcesSoldOut.SpecifiedInstanceType' : '';
  return {
    Zone: zone,
    InstanceType: type.type,
    InstanceChargeType: chargeTypeNames[chargeType],
    Status: isSoldOut ? 'SOLD_OUT' : 'SELL',
    StatusCategory: site === 'domestic' ? type.stock : null,
    SoldOutReason: site === 'domestic' ? reason : null,
    Externals: site === 'domestic' ? {} : null,
    Cpu: type.cpu,
    Memory: type.memory,
    InstanceFamily: family,
    TypeName: `Standard ${family}`,
    CpuType: 'Intel Xeon E5-2680 v4',
    Frequency: '2.4GHz',
    Remark: '',
    Gpu: 0,
    GpuCount: 0,
    Fpga: 0,
    NetworkCard: 0,
    InstanceBandwidth: 1.5,
    InstancePps: 20,
    StorageBlockAmount: 0,
    LocalDiskTypeList: [],
    Price:
      chargeType === 'prepaid'
        ? { OriginalPrice: price, DiscountPrice: price }
        : { UnitPrice: price, ChargeUnit: 'HOUR' },
  };
}
