/** The kind for the stock of the instance types that launches of a region need: DescribeZoneInstanceConfigInfos. */
import { z } from 'zod';
import type { Comparison } from '../../model/advance.ts';
import type { Difference } from '../../model/change.ts';
import { lackedAfter, pollsToAbsent } from '../../model/inventory.ts';
import {
  chargeTypes,
  isSameOffer,
  lackingOfferSchema,
  offerSchema,
  otherZones,
  stockHistorySchema,
  type Launch,
  type Offer,
  type StockRow,
} from '../../model/launches/launch.ts';
import { snapshotGauge } from '../../model/metric-family.ts';
import { recordSchema } from '../../model/record.ts';
import { text, type Stored } from '../../model/stored.ts';
import { askInHalves, filtersOf, hasCode } from '../rows.ts';
import { cvm, defineCollector } from '../collector.ts';
import { launchConfiguration, zoneProblems } from '../keys.ts';
import { launchesOfTemplates } from '../launch-template/launch-template.ts';
import { areLaunchesJudged, configuredLaunches, serviceChargeTypes } from '../launch-settings.ts';
import {
  offerKey,
  offerInZoneKey,
  rowsIn,
  stockOf,
  stockSnapshot,
  type GivenRows,
  type StockSnapshot,
} from './answer.ts';

const operation = 'DescribeZoneInstanceConfigInfos';

/** An offer that a launch needs, and the zone where it is started. `null` for any zone. */
const need = offerSchema.extend({ zone: text.nullable() });

const stored = recordSchema(operation, {
  target: {
    /** The offers that all launches of the region need, each once. */
    needs: z.array(need),
    /** The launches that the configuration names. */
    launches: z.array(need.extend({ isZoneNamed: z.boolean(), subnets: z.array(text) })),
    isInternational: z.boolean(),
  },
  durable: {
    /** The state of each offer in each zone where a launch needs it, unless it was never known. */
    stock: z.array(stockHistorySchema).default([]),
    lacking: z.array(lackingOfferSchema).default([]),
  },
  snapshot: stockSnapshot,
});

export type StockRecord = Stored<typeof stored>;
type Needs = StockRecord['target']['needs'];
type OfferInZone = Offer & { readonly zone: string };

/** The items without repeated keys, in the order in which each key comes first. Of one key, the last item counts. */
function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

/** The states of stock, by level. */
const levelWords = ['sold out', 'nearly gone', 'normal', 'enough'];
/** The state of an offer that is sold, while nothing says how much is left. */
const sellsWithoutLevel = 'sells';

/**
 * The state that an answer gives. `null` for unknown.
 *
 * @param withoutRow the state without a row
 */
function stateOf(row: StockRow | undefined, withoutRow: string | null): string | null {
  if (row === undefined) return withoutRow;
  const { level, sells } = row;
  if (sells === null) return null;
  if (!sells) return 'sold out';
  return (level === null ? undefined : levelWords[level]) ?? sellsWithoutLevel;
}

/** Whether a state says that some is left, and how much. */
function hasKnownLevel(state: string): boolean {
  return levelWords.indexOf(state) > 0;
}

/** The rows that a launch needs: of a needed offer, in its zone or, where no zone is named, in any. */
function neededRows<Row extends OfferInZone>(rows: readonly Row[], needs: Needs): readonly Row[] {
  return rows.filter((row) =>
    needs.some(
      ({ zone, ...needed }) => isSameOffer(needed, row) && (zone ?? row.zone) === row.zone,
    ),
  );
}

/**
 * The state to remember. What is unknown keeps the last state, and so does a sale without a level after a known level.
 *
 * @param last `null` for none
 * @param found in the answer. `null` for unknown
 */
function nextState(last: string | null, found: string | null): string | null {
  if (found === null) return last;
  return found === sellsWithoutLevel && last !== null && hasKnownLevel(last) ? last : found;
}

/** Whether the next state is another one. A first state is no change, and neither is a level that becomes known. */
function isChange(last: string | null, next: string): boolean {
  if (last === null || last === next) return false;
  return !(last === sellsWithoutLevel && hasKnownLevel(next));
}

/** Whether an answer without a row of the offer lacks it. A type that the service refused is not in `asked`. */
function isLackProof({ asked, isWhole }: StockSnapshot, offer: Offer): boolean {
  return isWhole && asked.some((other) => isSameOffer(other, offer));
}

/** Compares the stock of the offers in the zones where launches need them. */
function compare(
  { durable, target: { needs } }: StockRecord,
  snapshot: StockSnapshot,
): Comparison<StockRecord['durable']> {
  const { rows } = snapshot;
  const histories = new Map(durable.stock.map((history) => [offerInZoneKey(history), history]));
  const found = new Map(rows.map((row) => [offerInZoneKey(row), row]));
  const needed = needs.flatMap(({ zone, ...offer }) =>
    (zone === null ? ['', otherZones] : [zone]).map((each) => ({ ...offer, zone: each })),
  );
  // Remembered offers precede those of the answer, so that another order of the answer changes nothing.
  const offers = uniqueBy(
    [...needed, ...neededRows<OfferInZone>([...durable.stock, ...rows], needs)],
    offerInZoneKey,
  );
  const lackingBefore = neededRows<OfferInZone>(durable.lacking, needs);
  const soldSomewhere = new Set(rows.map(offerKey));
  const before = new Map(durable.lacking.map((each) => [offerInZoneKey(each), each.polls]));
  const lacking = uniqueBy([...offers, ...lackingBefore], offerInZoneKey).flatMap((each) => {
    const { chargeType, instanceType, zone } = each;
    const offer = { instanceType, chargeType, zone };
    const key = offerInZoneKey(offer);
    const row = found.get(key);
    const isNamed = zone === '' ? soldSomewhere.has(offerKey(offer)) : row !== undefined;
    const presence = isNamed ? 'named' : isLackProof(snapshot, offer) ? 'lacking' : 'possible';
    // Until now, a launch may have needed it in any zone.
    const elsewhere = before.get(offerInZoneKey({ ...offer, zone: otherZones }));
    const pollsBefore = before.get(key) ?? (zone === '' || histories.has(key) ? 0 : elsewhere);
    const polls = lackedAfter(pollsBefore ?? 0, presence);
    return polls > 0 || row?.sells === null ? [{ ...offer, polls }] : [];
  });
  const absent = new Set(
    lacking
      .filter((offer) => offer.polls === pollsToAbsent && isLackProof(snapshot, offer))
      .map(offerInZoneKey),
  );
  const differences: Difference[] = [];
  const stock = offers.flatMap((offer) => {
    const { chargeType, instanceType, zone } = offer;
    if (zone === '' || zone === otherZones) return [];
    const key = offerInZoneKey(offer);
    const history = histories.get(key);
    const last = history?.state ?? null;
    const withoutRow = absent.has(key) ? 'not offered' : null;
    const state = nextState(last, stateOf(found.get(key), withoutRow));
    if (state === null) return [];
    const isChanged = isChange(last, state);
    if (isChanged) {
      const extraLabels = { instance_type: instanceType, charge_type: chargeType };
      differences.push({ kind: 'stock-changed', zone, extraLabels, from: last, to: state });
    }
    return {
      instanceType,
      chargeType,
      zone,
      state,
      wasOffered: state !== 'not offered' || (history?.wasOffered ?? false),
    };
  });
  return { durable: { stock, lacking }, differences };
}

/** The codes for a type that does not exist. */
const typeCodes = ['InvalidInstanceType.Malformed'];
/** The codes for a filter that the international site does not know. The poll then asks without filters of types. */
const filterCodes = ['InvalidFilter', 'InvalidFilter.NameNotSupported', 'InvalidParameter'];

/**
 * The launches that the configuration names, in their zone. Without one, in each zone where the offer is or was listed;
 * if there is none either, the zone is empty.
 */
function configuredLaunchesIn({ durable, observed, target }: StockRecord): Launch[] {
  const listed = [
    ...(observed.snapshot?.rows ?? []),
    // A zone that only a template names may never have had it.
    ...durable.stock.filter(({ wasOffered }) => wasOffered),
  ];
  return target.launches.flatMap(({ zone: named, ...launch }) => {
    const zonesOfOffer = listed.filter((row) => isSameOffer(launch, row)).map(({ zone }) => zone);
    const zones = named === null ? [...new Set(zonesOfOffer)] : [named];
    return (zones.length > 0 ? zones : ['']).map((zone) => ({
      templateId: '',
      templateName: '',
      version: null,
      isVersionKnown: true,
      ...launch,
      zone,
      subnetsBindOwnZonesOnly: !launch.isZoneNamed,
      count: 1,
      ipv6Count: 0,
    }));
  });
}

const labelsOf = ({ chargeType, instanceType, zone }: StockRow) => ({
  zone,
  instance_type: instanceType,
  charge_type: chargeType,
});

/** A gauge of the rows that a launch needs. */
function stockGauges(name: string, help: string, valueOf: (row: StockRow) => number | null) {
  return snapshotGauge<StockRecord>(
    name,
    help,
    ({ rows }, { record }) =>
      neededRows(rows, record.target.needs).map((row) => {
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
  isLaunchPart: true,
  hasLaunches: ({ launches, needs }) => launches.length + needs.length > 0,
  configuration: launchConfiguration,
  regionProblems: (name, { instance_types }) =>
    instance_types.flatMap((type, i) =>
      typeof type === 'string' ? [] : zoneProblems(name, type.zones, ['instance_types', i]),
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
    const all = [...launches, ...launchesOfTemplates(records)];
    const needs = all.flatMap(({ chargeType, instanceType, zone }) => {
      const isKnown = instanceType !== null && chargeType !== null;
      return isKnown ? [{ instanceType, chargeType, zone: zone === '' ? null : zone }] : [];
    });
    const sorted = uniqueBy(needs, offerInZoneKey).toSorted((a, b) =>
      offerInZoneKey(a) < offerInZoneKey(b) ? -1 : 1,
    );
    const isInternational = site === 'international';
    return [{ account, region, operation, needs: sorted, launches, isInternational }];
  },
  asksNothing: ({ needs }) => needs.length === 0,
  details: ({ needs }) =>
    [...new Set(needs.map(({ instanceType }) => instanceType))].slice(0, 5).join(', '),
  poll: async (ask, { isInternational, needs, region }) => {
    const paid = chargeTypes.filter((type) => needs.some(({ chargeType }) => chargeType === type));
    const chargeFilter = { 'instance-charge-type': paid.map((type) => serviceChargeTypes[type]) };
    const rowsOf = async (
      filters: Readonly<Record<string, readonly string[]>>,
    ): Promise<GivenRows> => {
      try {
        return await ask(filtersOf({ ...filters, ...chargeFilter }), (response) =>
          rowsIn(response, region),
        );
      } catch (error) {
        // The service answers so if none of the types is offered in any zone.
        if (hasCode(error, ['InvalidParameterValue.ZoneNotSupported'])) return [];
        throw error;
      }
    };
    const needed = needs.map(({ chargeType, instanceType }) => ({ instanceType, chargeType }));
    const offers = uniqueBy(needed, offerKey);
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
      'Whether an instance type that launches need is sold out: Status of DescribeZoneInstanceConfigInfos, 1 or 0. Absent where it is not offered, or Status is unknown.',
      ({ sells }) => (sells === null ? null : Number(!sells)),
    ),
    stockGauges(
      'cvm_instance_type_stock_level',
      'How much of an instance type is left: StatusCategory of DescribeZoneInstanceConfigInfos, WithoutStock 0, UnderStock 1, NormalStock 2, EnoughStock 3. Absent where it is unknown.',
      ({ level }) => level,
    ),
  ],
  launchFacts: (record) => {
    const { durable, observed } = record;
    const { snapshot } = observed;
    const stock = snapshot && {
      ...snapshot,
      histories: durable.stock,
      lacking: durable.lacking.filter((offer) => isLackProof(snapshot, offer)),
    };
    return { launches: configuredLaunchesIn(record), stock };
  },
  json: ({ asked, rows }) => ({
    asked: asked.map(({ chargeType, instanceType }) => ({
      instance_type: instanceType,
      charge_type: chargeType,
    })),
    instance_types: rows.map((row) => ({ ...labelsOf(row), sells: row.sells, level: row.level })),
  }),
});
