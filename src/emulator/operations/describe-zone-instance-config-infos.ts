/**
 * DescribeZoneInstanceConfigInfos (docs/service.md, section 16.1). Chosen, because it is not published: a zone of another
 * region gets InvalidZone.MismatchRegion, and one that sells no types ZoneNotSupported. On the international
 * site, every filter but `instance-charge-type` is refused with InvalidFilter.
 */
import { cvmFilters, filtersOf, refuseUnknown, type Filter } from '../protocol/parameters.ts';
import { ServiceError } from '../protocol/service-error.ts';
import type { InstanceType, Region } from '../scenario/region.ts';
import { instanceTypePattern, type ChargeType } from '../scenario/words.ts';
import { stockOf } from '../state/state.ts';
import { rowOf, type Operation, type RegionContext } from './operation.ts';

const filterRules = { ...cvmFilters, mostValues: 100 };

/** The names of the charge types at the service. */
const names: Readonly<Record<ChargeType, string>> = {
  postpaid: 'POSTPAID_BY_HOUR',
  prepaid: 'PREPAID',
  spotpaid: 'SPOTPAID',
};
/** Charge types of the service that the emulator sells nothing for. */
const otherChargeTypes = ['CDHPAID', 'CDCPAID'];
const sortKeys = ['cpu', 'mem'];

/** One row of the answer, before its fields have the names of the service. */
interface Offer {
  readonly zone: string;
  readonly type: InstanceType;
  readonly family: string;
  readonly chargeType: ChargeType;
}

export const describeZoneInstanceConfigInfos: Operation = (parameters, context) => {
  refuseUnknown(parameters, ['Filters']);
  const { region, behaviour } = context;
  const filters = filtersOf(parameters, filterRules);
  for (const filter of filters) check(filter, context);
  const offers = region.zones
    .flatMap(({ name: zone, instance_types: types }) =>
      types.flatMap((type) => offersOf(zone, type)),
    )
    .filter((offer) => filters.every((filter) => matches(offer, filter)))
    .filter((offer) => behaviour.sold_out_types === 'shown' || !isSoldOut(offer));
  const order = filters.find(({ name }) => name === 'sort-keys')?.values ?? [];
  return {
    InstanceTypeQuotaSet: offers
      .toSorted((a, b) => compare(a, b, order))
      .map((offer) => rowOf(offerRow(offer, context), offer.type)),
  };
};

function offersOf(zone: string, type: InstanceType): Offer[] {
  const [family = ''] = type.type.split('.');
  return type.charge_types.map((chargeType) => ({ zone, type, family, chargeType }));
}

function check({ name, values }: Filter, { region, site }: RegionContext): void {
  const isKnown = Object.hasOwn(valueChecks, name);
  if (!isKnown || (site === 'international' && name !== 'instance-charge-type')) {
    const message = `The filter \`${name.slice(0, 100)}\` is not recognized.`;
    throw new ServiceError('InvalidFilter', message);
  }
  for (const value of values) valueChecks[name]?.(value, region);
}

/** By the name of the filter. Each throws when the service refuses the value. */
const valueChecks: Readonly<Record<string, (value: string, region: Region) => void>> = {
  zone: (value, { zones }) => {
    const zone = zones.find(({ name }) => name === value);
    if (zone === undefined) throw new ServiceError('InvalidZone.MismatchRegion');
    if (zone.instance_types.length === 0) {
      throw new ServiceError('InvalidParameterValue.ZoneNotSupported');
    }
  },
  'instance-family': () => undefined,
  'instance-type': (value) => {
    if (!instanceTypePattern.test(value)) throw new ServiceError('InvalidInstanceType.Malformed');
  },
  'instance-charge-type': (value) => {
    if (![...Object.values(names), ...otherChargeTypes].includes(value)) {
      throw new ServiceError('InvalidFilter', 'The charge type does not exist.');
    }
  },
  'sort-keys': (value) => {
    const [key = '', direction = ''] = value.split(':');
    if (!sortKeys.includes(key) || !['asc', 'desc'].includes(direction)) {
      throw new ServiceError('InvalidFilter', 'A sort key looks like `cpu:desc` or `mem:asc`.');
    }
  },
};

function matches(offer: Offer, { name, values }: Filter): boolean {
  switch (name) {
    case 'zone':
      return values.includes(offer.zone);
    case 'instance-family':
      return values.includes(offer.family);
    case 'instance-type':
      return values.includes(offer.type.type);
    case 'instance-charge-type':
      return values.includes(names[offer.chargeType]);
    default:
      return true;
  }
}

function compare(a: Offer, b: Offer, order: readonly string[]): number {
  for (const each of order) {
    const [key, direction] = each.split(':');
    const difference = key === 'cpu' ? a.type.cpu - b.type.cpu : a.type.memory - b.type.memory;
    if (difference !== 0) return direction === 'desc' ? -difference : difference;
  }
  return 0;
}

function isSoldOut({ type, chargeType }: Offer): boolean {
  return stockOf(type.stock, chargeType) === 'WithoutStock';
}

function offerRow(offer: Offer, { site }: RegionContext) {
  const { zone, type, family, chargeType } = offer;
  const reason = isSoldOut(offer) ? 'ResourcesSoldOut.SpecifiedInstanceType' : '';
  return {
    Zone: zone,
    InstanceType: type.type,
    InstanceChargeType: names[chargeType],
    Status: isSoldOut(offer) ? 'SOLD_OUT' : 'SELL',
    ...(site === 'domestic'
      ? { StatusCategory: stockOf(type.stock, chargeType), SoldOutReason: reason, Externals: {} }
      : { StatusCategory: null, SoldOutReason: null, Externals: null }),
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
        ? { OriginalPrice: 59, DiscountPrice: 59 }
        : { UnitPrice: 0.1, ChargeUnit: 'HOUR' },
  };
}
