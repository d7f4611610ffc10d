/** The stock of the instance types that launches of a region need: DescribeZoneInstanceConfigInfos. */
import { z } from 'zod';
import type { Comparison } from '../../model/advance.ts';
import type { Difference } from '../../model/change.ts';
import {
  chargeTypes,
  isSameOffer,
  offerSchema,
  stockHistorySchema,
  type Launch,
  type Offer,
} from '../../model/launches/launch.ts';
import { snapshotGauge } from '../../model/metric-family.ts';
import { recordSchema } from '../../model/record.ts';
import { text, type Stored } from '../../model/stored.ts';
import { askInHalves, filtersOf, hasCode } from '../asking.ts';
import { cvm, defineCollector } from '../collector.ts';
import { launchConfiguration, zoneProblems } from '../keys.ts';
import { launchesOfTemplates } from '../launch-template/launch-template.ts';
import { areLaunchesJudged, configuredLaunches, serviceChargeTypes } from '../launch-settings.ts';
import {
  offerKey,
  placeKey,
  rowsIn,
  stockOf,
  stockSnapshot,
  type StockSnapshot,
} from './answer.ts';

const operation = 'DescribeZoneInstanceConfigInfos';

/** An offer, and the zone where it is started. `null` for any zone. */
const use = offerSchema.extend({ zone: text.nullable() });

const stored = recordSchema(operation, {
  target: {
    /** What is started. */
    uses: z.array(use),
    /** The launches that the configuration names. */
    launches: z.array(use.extend({ isZoneNamed: z.boolean(), subnets: z.array(text) })),
    isInternational: z.boolean(),
  },
  durable: {
    /** What is known of each offer in each zone where it is started. */
    stock: z.array(stockHistorySchema).default([]),
  },
  snapshot: stockSnapshot,
});

export type StockRecord = Stored<typeof stored>;
type Uses = StockRecord['target']['uses'];
type StockRow = StockSnapshot['rows'][number];
type Placed = Offer & { readonly zone: string };

function eachOnce<T>(all: readonly T[], keyOf: (each: T) => string): readonly T[] {
  return [...new Map(all.map((each) => [keyOf(each), each])).values()];
}

/** The states of stock, by level. */
const levelWords = ['sold out', 'nearly gone', 'normal', 'enough'];
/** Sold, and nothing says how much is left. */
const sellsSomehow = 'sells';

/** @param withoutRow the state without a row */
function stateOf(row: StockRow | undefined, withoutRow: string | null): string | null {
  if (row === undefined) return withoutRow;
  const { level, sells } = row;
  if (sells === null) return null;
  return sells ? (levelWords[level ?? -1] ?? sellsSomehow) : 'sold out';
}

/** Whether some is left at a known level. */
function isLevelled(state: string): boolean {
  return levelWords.indexOf(state) > 0;
}

/** Those that are started, in the zones where they are. */
function usedOf<Row extends Placed>(rows: readonly Row[], uses: Uses): readonly Row[] {
  return rows.filter((row) =>
    uses.some(({ zone, ...each }) => isSameOffer(each, row) && (zone ?? row.zone) === row.zone),
  );
}

/**
 * Compares the stock in the zones where it is needed. What is unknown keeps its last state, and a level that becomes
 * known is no change.
 */
function compare(
  { durable, target: { uses } }: StockRecord,
  { asked, isWhole, rows }: StockSnapshot,
  nowMs: number,
): Comparison<StockRecord['durable']> {
  const before = new Map(durable.stock.map((each) => [placeKey(each), each]));
  const found = new Map(rows.map((row) => [placeKey(row), row]));
  const named = uses.flatMap(({ zone, ...each }) => (zone === null ? [] : [{ ...each, zone }]));
  // What was known comes first, so that another order of the answer changes nothing.
  const places = [...named, ...usedOf<Placed>([...durable.stock, ...rows], uses)];
  const differences: Difference[] = [];
  const stock = eachOnce(places, placeKey).flatMap((place) => {
    const { chargeType, instanceType, zone } = place;
    const known = before.get(placeKey(place));
    const isOffered = !isWhole || !asked.some((each) => isSameOffer(each, place));
    const state = stateOf(found.get(placeKey(place)), isOffered ? null : 'not offered');
    const isLevelUnknown = state === sellsSomehow && known !== undefined && isLevelled(known.state);
    const next = (isLevelUnknown ? null : state) ?? known?.state ?? null;
    if (next === null) return [];
    const isLearned = known?.state === sellsSomehow && isLevelled(next);
    const isChanged = known !== undefined && known.state !== next && !isLearned;
    if (isChanged) {
      const labels = { instance_type: instanceType, charge_type: chargeType };
      differences.push({
        kind: 'stock-changed',
        zone,
        extraLabels: labels,
        from: known.state,
        to: next,
      });
    }
    return {
      instanceType,
      chargeType,
      zone,
      state: next,
      wasOffered: next !== 'not offered' || (known?.wasOffered ?? false),
      changedAtMs: isChanged ? nowMs : (known?.changedAtMs ?? null),
    };
  });
  return { durable: { stock }, differences };
}

/** The codes of a type that does not exist, and of a filter that the international site does not know. */
const typeCodes = ['InvalidInstanceType.Malformed'];
const filterCodes = ['InvalidFilter', 'InvalidFilter.NameNotSupported', 'InvalidParameter'];

/** A launch that the configuration names, in its zone: else in those where the offer is or was sold. */
function launchesOf({ durable, observed, target }: StockRecord): Launch[] {
  const placed = [...(observed.snapshot?.rows ?? []), ...durable.stock];
  return target.launches.flatMap(({ zone: named, ...launch }) => {
    const sold = placed.filter((row) => isSameOffer(launch, row)).map(({ zone }) => zone);
    const zones = named === null ? [...new Set(sold)] : [named];
    return (zones.length > 0 ? zones : ['']).map((zone) => ({
      templateId: '',
      templateName: '',
      version: null,
      ...launch,
      zone,
      count: 1,
    }));
  });
}

const labelsOf = ({ chargeType, instanceType, zone }: StockRow) => ({
  zone,
  instance_type: instanceType,
  charge_type: chargeType,
});

/** A gauge of what is started, in the zones where it is. */
function stockGauges(name: string, help: string, valueOf: (row: StockRow) => number | null) {
  return snapshotGauge<StockRecord>(
    name,
    help,
    ({ rows }, { record }) =>
      usedOf(rows, record.target.uses).map((row) => {
        return { labels: labelsOf(row), value: valueOf(row) };
      }),
    ['zone', 'instance_type', 'charge_type'],
  );
}

export const stockCollector = defineCollector<StockRecord, typeof launchConfiguration>({
  kind: 'stock',
  operation,
  service: cvm,
  noun: 'stock',
  follows: ['DescribeLaunchTemplateVersions'],
  configuration: launchConfiguration,
  regionProblems: (name, { instance_types }) =>
    instance_types.flatMap((each, i) =>
      typeof each === 'string' ? [] : zoneProblems(name, each.zones, ['instance_types', i]),
    ),
  accountProblems: ({ accountKeys, regionKeys }) => {
    if (accountKeys.launches || regionKeys.instance_types.length === 0) return [];
    const message = 'has no effect without launches: true in the account';
    return [{ path: ['instance_types'], message }];
  },
  changeTexts: {
    'stock-changed': ({ from, to, zone }) =>
      `stock in ${zone ?? 'the region'} went from ${from ?? 'unknown'} to ${to ?? 'unknown'}`,
  },
  plan: (settings, records) => {
    if (!areLaunchesJudged(settings)) return [];
    const { account, region, regionKeys, site } = settings;
    const launches = configuredLaunches(regionKeys);
    const started = [...launches, ...launchesOfTemplates(records)];
    const uses = started.flatMap(({ chargeType, instanceType, zone }) => {
      const isKnown = instanceType !== null && chargeType !== null;
      return isKnown ? [{ instanceType, chargeType, zone: zone === '' ? null : zone }] : [];
    });
    const sorted = eachOnce(uses, placeKey).toSorted((a, b) =>
      placeKey(a) < placeKey(b) ? -1 : 1,
    );
    const isInternational = site === 'international';
    return [{ account, region, operation, uses: sorted, launches, isInternational }];
  },
  details: ({ uses }) =>
    [...new Set(uses.map(({ instanceType }) => instanceType))].slice(0, 5).join(', '),
  poll: async (ask, { isInternational, uses }) => {
    const paid = chargeTypes.filter((each) => uses.some(({ chargeType }) => chargeType === each));
    const chargeFilter = { 'instance-charge-type': paid.map((each) => serviceChargeTypes[each]) };
    const rowsOf = async (filters: Readonly<Record<string, readonly string[]>>) => {
      try {
        return await ask(filtersOf({ ...filters, ...chargeFilter }), rowsIn);
      } catch (error) {
        // None of the types is offered in any zone.
        if (hasCode(error, ['InvalidParameterValue.ZoneNotSupported'])) return [];
        throw error;
      }
    };
    const offers = eachOnce(
      uses.map(({ chargeType, instanceType }) => ({ instanceType, chargeType })),
      offerKey,
    );
    const types = [...new Set(offers.map(({ instanceType }) => instanceType))];
    try {
      const { answers, refused } = await askInHalves(types, typeCodes, (some) =>
        rowsOf({ 'instance-type': some }),
      );
      return stockOf(answers.flat(), offers, refused, isInternational);
    } catch (error) {
      if (!hasCode(error, filterCodes)) throw error;
      return stockOf(await rowsOf({}), offers, [], isInternational);
    }
  },
  compare,
  stored,
  families: [
    stockGauges(
      'cvm_instance_type_sold_out',
      'Whether an instance type that launches need is sold out: Status of DescribeZoneInstanceConfigInfos, 1 or 0. Absent where it is not offered.',
      ({ sells }) => (sells === null ? null : Number(!sells)),
    ),
    stockGauges(
      'cvm_instance_type_stock_level',
      'How much of an instance type is left: StatusCategory of DescribeZoneInstanceConfigInfos, WithoutStock 0, UnderStock 1, NormalStock 2, EnoughStock 3.',
      ({ level }) => level,
    ),
  ],
  launchFacts: (record) => {
    const { durable, observed } = record;
    const stock = observed.snapshot && { ...observed.snapshot, histories: durable.stock };
    return { launches: launchesOf(record), stock };
  },
  json: ({ asked, rows }) => ({
    asked: asked.map(({ chargeType, instanceType }) => ({
      instance_type: instanceType,
      charge_type: chargeType,
    })),
    instance_types: rows.map((row) => ({ ...labelsOf(row), sells: row.sells, level: row.level })),
  }),
});
