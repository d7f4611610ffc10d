/** The quotas that the filters of a request select. */
import type { Filter } from '../../protocol/parameters.ts';
import { ServiceError } from '../../protocol/service-error.ts';
import { quotaTypes, type QuotaType } from '../../resources/quotas.ts';
import type { Region } from '../../resources/regions.ts';
import { setNames } from './set-names.ts';

const maxFilters = 10;
const maxValuesPerFilter = 5;

const allTypes: ReadonlySet<QuotaType> = new Set(quotaTypes);

export interface Selection {
  readonly types: ReadonlySet<QuotaType>;
  /** The selected zones. `null` for all zones. */
  readonly zones: ReadonlySet<string> | null;
}

/**
 * A row must match every filter. One matching value of a filter is enough.
 *
 * @throws ServiceError
 */
export function selectionOf(filters: readonly Filter[], region: Region): Selection {
  if (filters.length > maxFilters) throw new ServiceError('InvalidFilterValue.LimitExceeded');
  const selection: { types: Selection['types']; zones: Selection['zones'] } = {
    types: allTypes,
    zones: null,
  };
  for (const { name, values } of filters) {
    const shown = name.slice(0, 100);
    if (values.length > maxValuesPerFilter) {
      throw new ServiceError('InvalidFilterValue.LimitExceeded');
    }
    if (values.length === 0) {
      throw new ServiceError('InvalidFilter', `The filter \`${shown}\` has no values.`);
    }
    if (name === 'quota-type') {
      selection.types = intersection(selection.types, values.map(quotaTypeOf));
    } else if (name === 'zone') {
      const zones = values.map((zone) => zoneOf(zone, region));
      selection.zones = intersection(selection.zones, zones);
    } else {
      throw new ServiceError('InvalidFilter', `The filter \`${shown}\` is not recognized.`);
    }
  }
  return selection;
}

/** @param before the present selection; `null` for everything */
function intersection<T>(before: ReadonlySet<T> | null, values: readonly T[]): ReadonlySet<T> {
  return new Set(before === null ? values : values.filter((value) => before.has(value)));
}

function quotaTypeOf(value: string): QuotaType {
  const type = quotaTypes.find((candidate) => setNames[candidate] === value);
  if (type !== undefined) return type;
  throw new ServiceError(
    'InvalidParameterValue.Range',
    `The value \`${value.slice(0, 100)}\` of the filter \`quota-type\` is none of ${Object.values(setNames).join(', ')}.`,
  );
}

function zoneOf(value: string, region: Region): string {
  if (region.zones.has(value)) return value;
  const message = `The zone \`${value.slice(0, 100)}\` does not exist in ${region.name}.`;
  throw new ServiceError('InvalidZone.MismatchRegion', message);
}
