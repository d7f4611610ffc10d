/**
 * The kind for the stock of the instance types that launches of a region need: DescribeZoneInstanceConfigInfos. `answer.ts`
 * reads the rows, `history.ts` compares them.
 */
import { filtersOf } from '../../api/request.ts';
import { z } from 'zod';
import {
  chargeTypes,
  isSameOffer,
  plainLaunch,
  stockHistorySchema,
  type Launch,
  type Offer,
  type StockRow,
} from '../../model/launches/launch.ts';
import { snapshotGauge } from '../../model/metric-family.ts';
import { recordSchema } from '../../model/record.ts';
import { text, type Stored } from '../../model/stored.ts';
import { askInHalves, unlessRefused } from '../lists.ts';
import { zonedRowsReader, sortedBy, uniqueBy } from '../rows.ts';
import { defineCollector } from '../collector.ts';
import { zoneProblems, type LaunchKeys } from '../keys.ts';
import { neededByLaunches } from '../launch-needs.ts';
import { configuredLaunches, needsLaunches, serviceChargeTypes } from '../launch-settings.ts';
import {
  offerKey,
  offerInZoneKey,
  rowSchema,
  sizesIn,
  stockOf,
  stockSnapshot,
  type GivenRow,
} from './answer.ts';
import { compareStock, needSchema, neededRows } from './history.ts';

const stored = recordSchema({
  target: {
    /** The offers that all launches of the region need, each once. */
    needs: z.array(needSchema),
    /** The launches that the configuration names, which `launchFacts` reports, as no other record does. */
    launches: z.array(needSchema.extend({ isZoneNamed: z.boolean(), subnets: z.array(text) })),
    isInternational: z.boolean(),
    /** The families of which a check needs all types. Absent in the daemon. */
    families: z.array(text).optional(),
  },
  durable: {
    /** Each needed offer that an answer ever named or lacked. */
    stock: z.array(stockHistorySchema).default([]),
  },
  snapshot: stockSnapshot,
});

export type StockRecord = Stored<typeof stored>;

const readOffers = zonedRowsReader('InstanceTypeQuotaSet', rowSchema);

/** The codes for a type that does not exist. */
const typeCodes = ['InvalidInstanceType.Malformed'];
/** The codes for a filter that the international site does not know. The poll then asks without filters of types. */
const filterCodes = ['InvalidFilter', 'InvalidFilter.NameNotSupported', 'InvalidParameter'];

/**
 * The launches that the configuration names. One without a zone is a launch in each zone where the offer is or was
 * listed or, if there is none, a launch with an empty zone.
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
      ...plainLaunch,
      ...launch,
      zone,
      subnetsBindOwnZonesOnly: !launch.isZoneNamed,
    }));
  });
}

const labelsOf = ({ chargeType, instanceType }: Offer) => {
  return { instance_type: instanceType, charge_type: chargeType };
};

/** A gauge of the rows of needed offers. */
function stockGauges(name: string, help: string, valueOf: (row: StockRow) => number | null) {
  return snapshotGauge<StockRecord>(
    name,
    help,
    ({ rows }, { record }) =>
      neededRows(rows, record.target.needs).map((row) => {
        return { labels: { zone: row.zone, ...labelsOf(row) }, value: valueOf(row) };
      }),
    ['zone', 'instance_type', 'charge_type'],
  );
}

const typesIn = ({ needs }: StockRecord['target']) => needs.map(({ instanceType }) => instanceType);

export const stockCollector = defineCollector<StockRecord, LaunchKeys>({
  ...neededByLaunches(typesIn, (target, launches, { asked, regionKeys, site }) => {
    const needs = launches.flatMap(({ chargeType, instanceType, zone }) => {
      const isOffer = instanceType !== null && chargeType !== null;
      return isOffer ? [{ instanceType, chargeType, zone: zone === '' ? null : zone }] : [];
    });
    return {
      ...target,
      needs: sortedBy(needs, offerInZoneKey),
      launches: configuredLaunches(regionKeys),
      isInternational: site === 'international',
      ...(asked && { families: asked.families }),
    };
  }),
  kind: 'stock',
  operation: 'DescribeZoneInstanceConfigInfos',
  noun: 'stock',
  regionProblems: (name, { instance_types }) =>
    instance_types.flatMap(({ zones }, i) => zoneProblems(name, zones, ['instance_types', i])),
  accountProblems: needsLaunches('instance_types'),
  changeTexts: {
    'stock-changed': 'stock went from {from} to {to}',
  },
  poll: async (ask, { target }) => {
    const { families = [], isInternational, needs, region } = target;
    const needed = needs.map(({ chargeType, instanceType }) => ({ instanceType, chargeType }));
    const offers = uniqueBy(needed, offerKey);
    const types = [...new Set(offers.map(({ instanceType }) => instanceType))];
    // One request is for offers of all types and charge types together: rows of others are dropped.
    const allPaid = chargeTypes
      .filter((type) => offers.some(({ chargeType }) => chargeType === type))
      .map((type) => serviceChargeTypes[type]);
    const rowsOf = (filters: Readonly<Record<string, readonly string[]>>, paid = allPaid) =>
      unlessRefused(
        // The service refuses like this if none of the types is offered in any zone.
        ['InvalidParameterValue.ZoneNotSupported'],
        () =>
          ask(filtersOf({ ...filters, 'instance-charge-type': paid }), (response) =>
            readOffers(response, region),
          ),
        () => [],
      );
    const { answers, refused } = await unlessRefused(
      filterCodes,
      () => askInHalves(types, typeCodes, (some) => rowsOf({ 'instance-type': some })),
      async () => ({ answers: [await rowsOf({})], refused: new Map<string, string>() }),
    );
    const stock = stockOf(answers.flat(), offers, refused, isInternational);
    if (families.length === 0) return stock;
    const ofFamilies: GivenRow[] = [];
    // One request for each family and charge type: none has an answer that is too large.
    for (const family of families) {
      for (const paid of allPaid) {
        const ofFamily = () => rowsOf({ 'instance-family': [family] }, [paid]);
        ofFamilies.push(...(await unlessRefused(filterCodes, ofFamily, () => [])));
      }
    }
    return { ...stock, snapshot: { ...stock.snapshot, sizes: sizesIn(ofFamilies) } };
  },
  compare: ({ durable, target }, snapshot) => compareStock(durable.stock, snapshot, target.needs),
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
    const stock = observed.snapshot && { ...observed.snapshot, histories: durable.stock };
    return { launches: configuredLaunchesIn(record), stock };
  },
  json: ({ asked, rows }) => ({
    asked: asked.map(labelsOf),
    instance_types: rows.map((row) => {
      return { zone: row.zone, ...labelsOf(row), sells: row.sells, level: row.level };
    }),
  }),
});
