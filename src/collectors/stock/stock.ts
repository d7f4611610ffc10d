/** The stock of the instance types that launches of a region need: DescribeZoneInstanceConfigInfos. */
import { z } from 'zod';
import type { Parameter } from '../../api/request.ts';
import type { Comparison } from '../../model/advance.ts';
import type { Difference } from '../../model/change.ts';
import { CodedError } from '../../model/coded-error.ts';
import { chargeTypes, type Launch } from '../../model/launch.ts';
import { gauges, type Family } from '../../model/metric-family.ts';
import { defineCollector } from '../collector.ts';
import { launchesOfTemplates } from '../launch-template/launch-template.ts';
import {
  areLaunchesJudged,
  askInHalves,
  configuredTypes,
  launchAccountKeys,
  launchEveryRegionKeys,
  launchRegionKeys,
  serviceChargeTypes,
  zonesOfTypes,
} from '../launches.ts';
import { cvm } from '../services.ts';
import { count, recordSchema, text, timeMs, type Stored } from '../../model/stored.ts';
import {
  combination,
  combinationKey,
  readRows,
  stockOf,
  stockSnapshot,
  type Combination,
  type StockSnapshot,
} from './answer.ts';

const operation = 'DescribeZoneInstanceConfigInfos';

const zones = z.array(text).nullable();

const storedStockRecord = recordSchema(operation, {
  target: {
    /** What is started, with the zones in which it is. `null` for any zone. */
    uses: z.array(combination.extend({ zones })),
    /** The launches that the configuration names. */
    launches: z.array(
      combination.extend({ zones, isZoneNamed: z.boolean(), subnets: z.array(text) }),
    ),
    isInternational: z.boolean(),
  },
  counted: {
    /** What is known of each type in each zone where it is started. */
    stock: z.array(
      combination.extend({
        zone: text,
        /** The last known state. */
        state: text,
        wasOffered: z.boolean(),
        changes: count,
        changedAtMs: timeMs.nullable(),
      }),
    ),
  },
  snapshot: stockSnapshot,
});

export type StockRecord = Stored<typeof storedStockRecord>;
type StockTarget = StockRecord['target'];
type StockRow = StockSnapshot['rows'][number];

/** The states of stock, by level. */
const levelWords = ['sold out', 'nearly gone', 'normal', 'enough'];

function stateOf({ level, sells }: StockRow): string | null {
  if (sells === null) return null;
  return sells ? (levelWords[level ?? -1] ?? sellsSomehow) : 'sold out';
}

/** Sold, and nothing says how much is left. */
const sellsSomehow = 'sells';

function isSelling(state: string): boolean {
  return state === sellsSomehow || levelWords.indexOf(state) > 0;
}

type Placed = Combination & { readonly zone: string };

const keyOf = (row: Placed) => `${row.zone} ${combinationKey(row)}`;

const isUsedIn = (uses: StockTarget['uses']) => (row: Placed) =>
  uses.some((use) => isSame(use, row) && (use.zones?.includes(row.zone) ?? true));

/**
 * Compares the stock in the zones where it is needed. What is unknown keeps its last state, and a level that becomes
 * known is no change.
 */
function compare(
  { counted, target: { uses } }: StockRecord,
  { asked, isWhole, rows }: StockSnapshot,
  nowMs: number,
): Comparison<StockRecord['counted']> {
  const before = new Map(counted.stock.map((each) => [keyOf(each), each]));
  const isUsed = isUsedIn(uses);
  const states = new Map<string, { readonly row: Placed; readonly state: string | null }>();
  for (const row of rows.filter(isUsed)) states.set(keyOf(row), { row, state: stateOf(row) });
  const wanted = uses.flatMap(({ chargeType, instanceType, zones: named }) =>
    (named ?? []).map((zone) => ({ instanceType, chargeType, zone })),
  );
  for (const row of [...wanted, ...counted.stock.filter(isUsed)]) {
    if (states.has(keyOf(row))) continue;
    const isAsked = isWhole && asked.some((each) => isSame(each, row));
    states.set(keyOf(row), { row, state: isAsked ? 'not offered' : null });
  }
  const differences: Difference[] = [];
  const stock = [...states].flatMap(([key, { row, state }]) => {
    const known = before.get(key);
    const isLevelUnknown = state === sellsSomehow && known !== undefined && isSelling(known.state);
    const next = (isLevelUnknown ? null : state) ?? known?.state ?? null;
    if (next === null) return [];
    const { chargeType, instanceType, zone } = row;
    const isLearned = known?.state === sellsSomehow && isSelling(next);
    const isChanged = known !== undefined && known.state !== next && !isLearned;
    if (isChanged) {
      const labels = { instance_type: instanceType, charge_type: chargeType };
      differences.push({ kind: 'stock-changed', zone, labels, from: known.state, to: next });
    }
    return {
      instanceType,
      chargeType,
      zone,
      state: next,
      wasOffered: next !== 'not offered' || (known?.wasOffered ?? false),
      changes: (known?.changes ?? 0) + (isChanged ? 1 : 0),
      changedAtMs: isChanged ? nowMs : (known?.changedAtMs ?? null),
    };
  });
  return { counted: { ...counted, stock }, differences };
}

function isSame(one: Combination, other: Combination): boolean {
  return one.instanceType === other.instanceType && one.chargeType === other.chargeType;
}

/** The codes of a type that does not exist, and of a filter that the international site does not know. */
const typeCodes = ['InvalidInstanceType.Malformed'];
const filterCodes = ['InvalidFilter', 'InvalidFilter.NameNotSupported', 'InvalidParameter'];

function filters(named: Readonly<Record<string, readonly string[]>>): Parameter[] {
  return Object.entries(named).flatMap(([name, values], i) => [
    [`Filters.${i}.Name`, name] as const,
    ...values.map((value, at) => [`Filters.${i}.Values.${at}`, value] as const),
  ]);
}

/** A launch that the configuration names, in each of its zones: else in those where the type is or was sold. */
function configuredLaunches({ counted, seen, target: own }: StockRecord): Launch[] {
  return own.launches.flatMap(
    ({ chargeType, instanceType, isZoneNamed, subnets, zones: named }) => {
      const rows = [...(seen.snapshot?.rows ?? []), ...counted.stock];
      const sold = rows.filter((row) => isSame(row, { chargeType, instanceType }));
      const found = named ?? [...new Set(sold.map(({ zone }) => zone))];
      return (found.length > 0 ? found : ['']).map((zone) => ({
        templateId: '',
        templateName: '',
        version: null,
        zone,
        isZoneNamed,
        instanceType,
        chargeType,
        subnets,
        count: 1,
      }));
    },
  );
}

const labels = ['zone', 'instance_type', 'charge_type'];

/** The rows of what is started, in the zones where it is. */
function usedRows({ rows }: StockSnapshot, { uses }: StockTarget): readonly StockRow[] {
  return rows.filter(isUsedIn(uses));
}

const labelsOf = ({ chargeType, instanceType, zone }: StockRow) => ({
  zone,
  instance_type: instanceType,
  charge_type: chargeType,
});

const families: readonly Family<StockRecord>[] = [
  gauges(
    'cvm_instance_type_sold_out',
    'Whether an instance type that launches need is sold out: Status of DescribeZoneInstanceConfigInfos, 1 or 0. Absent where it is not offered.',
    (snapshot, { record }) =>
      usedRows(snapshot, record.target).flatMap((row) =>
        row.sells === null ? [] : [{ labels: labelsOf(row), value: row.sells ? 0 : 1 }],
      ),
    labels,
  ),
  gauges(
    'cvm_instance_type_stock_level',
    'How much of an instance type is left: StatusCategory of DescribeZoneInstanceConfigInfos, WithoutStock 0, UnderStock 1, NormalStock 2, EnoughStock 3.',
    (snapshot, { record }) =>
      usedRows(snapshot, record.target).flatMap((row) =>
        row.level === null ? [] : [{ labels: labelsOf(row), value: row.level }],
      ),
    labels,
  ),
];

export const stockCollector = defineCollector<
  StockRecord,
  typeof launchAccountKeys,
  typeof launchRegionKeys
>({
  kind: 'stock',
  operation,
  service: cvm,
  noun: 'stock',
  follows: ['DescribeLaunchTemplateVersions'],
  configuration: {
    account: launchAccountKeys,
    region: launchRegionKeys,
    everyRegion: launchEveryRegionKeys,
    nothing: '',
  },
  regionProblems: zonesOfTypes,
  accountProblems: ({ accountKeys, regionKeys }) =>
    accountKeys.launches || regionKeys.instance_types.length === 0
      ? []
      : [
          {
            path: ['instance_types'],
            message: 'has no effect without launches: true in the account',
          },
        ],
  changeTexts: {
    'stock-changed': ({ from, to, zone }) =>
      `stock in ${zone ?? 'the region'} went from ${from ?? 'unknown'} to ${to ?? 'unknown'}`,
  },
  plan: (settings, records) => {
    if (!areLaunchesJudged(settings)) return [];
    const { account, region, regionKeys, site } = settings;
    const { zones: regionZones = null } = regionKeys;
    const launches = configuredTypes(regionKeys).flatMap(({ chargeTypes: paid, ...each }) =>
      paid.map((chargeType) => ({
        instanceType: each.instanceType,
        chargeType,
        zones: each.zones ?? regionZones,
        isZoneNamed: each.zones !== null,
        subnets: each.subnets,
      })),
    );
    const ofTemplates = launchesOfTemplates(records).flatMap(({ chargeType, instanceType, zone }) =>
      instanceType === null || chargeType === null
        ? []
        : [{ instanceType, chargeType, zones: zone === '' || zone === null ? null : [zone] }],
    );
    const uses = new Map<string, StockTarget['uses'][number]>();
    for (const { chargeType, instanceType, zones: some } of [...launches, ...ofTemplates]) {
      const key = combinationKey({ instanceType, chargeType });
      const known = uses.get(key)?.zones;
      const all = some === null || known === null ? null : [...(known ?? []), ...some];
      const ordered = all && [...new Set(all)].toSorted();
      uses.set(key, { instanceType, chargeType, zones: ordered });
    }
    const sorted = [...uses].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, use]) => use);
    const isInternational = site === 'international';
    return [{ account, region, operation, uses: sorted, launches, isInternational }];
  },
  details: ({ uses }) =>
    [...new Set(uses.map(({ instanceType }) => instanceType))].slice(0, 5).join(', '),
  requests: '1 request for each 100 instance types of default versions and instance_types',
  poll: async (call, { isInternational, region, uses }, context) => {
    const paid = chargeTypes.filter((each) => uses.some(({ chargeType }) => chargeType === each));
    const chargeFilter = { 'instance-charge-type': paid.map((each) => serviceChargeTypes[each]) };
    const ask = async (named: Readonly<Record<string, readonly string[]>>) => {
      const parameters = filters({ ...named, ...chargeFilter });
      try {
        return await call({ ...cvm, action: operation, region, parameters }, readRows, context);
      } catch (error) {
        // None of the types is offered in any zone.
        const code = error instanceof CodedError ? error.code : '';
        if (code === 'InvalidParameterValue.ZoneNotSupported') return [];
        throw error;
      }
    };
    const types = [...new Set(uses.map(({ instanceType }) => instanceType))];
    try {
      const { answers, refused } = await askInHalves(types, typeCodes, (some) =>
        ask({ 'instance-type': some }),
      );
      return stockOf(answers.flat(), uses.map(withoutZones), refused, isInternational);
    } catch (error) {
      if (!(error instanceof CodedError) || !filterCodes.includes(error.code)) throw error;
      return stockOf(await ask({}), uses.map(withoutZones), [], isInternational);
    }
  },
  newCounted: { stock: [] },
  forget: (counted) => ({ ...counted, stock: [] }),
  compare,
  stored: storedStockRecord,
  families,
  launchFacts: (record) => {
    const { counted, seen } = record;
    const stock = seen.snapshot && { ...seen.snapshot, histories: counted.stock };
    return { launches: configuredLaunches(record), stock };
  },
  json: ({ asked, rows }) => ({
    asked: asked.map(({ chargeType, instanceType }) => ({
      instance_type: instanceType,
      charge_type: chargeType,
    })),
    instance_types: rows.map((row) => ({ ...labelsOf(row), sells: row.sells, level: row.level })),
  }),
});

function withoutZones({ chargeType, instanceType }: Combination): Combination {
  return { instanceType, chargeType };
}
