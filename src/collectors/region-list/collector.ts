/** The regions of an account: DescribeRegions. Each of them gets the targets of every kind. */
import { z } from 'zod';
import { compareInventories, watchedNames } from '../../model/inventory.ts';
import { areInSamePeriod } from '../../model/periods.ts';
import { targetKey } from '../../model/target.ts';
import { defineCollector } from '../collector.ts';
import {
  count,
  inventoryFields,
  countedFields,
  seenOf,
  snapshotFields,
  target,
  text,
} from '../stored-fields.ts';
import { readRegions } from './answer.ts';
import {
  newRegionListRecord,
  watchedRegions,
  type RegionListRecord,
  type RegionListSnapshot,
} from './record.ts';
import { regionListOperation, regionListTarget, type RegionListTarget } from './target.ts';

const storedRegionListRecord: z.ZodType<RegionListRecord> = z.object({
  kind: z.literal('region-list'),
  target: target.extend({ operation: z.literal(regionListOperation), intervalMs: count }),
  counted: z.object({
    ...countedFields,
    inventory: z.object(inventoryFields(text)).nullable(),
    unclear: z.array(text),
  }),
  seen: seenOf(
    z.object({
      kind: z.literal('region-list'),
      ...snapshotFields,
      regions: z.array(text),
      unidentified: count,
    }),
  ),
});

export const regionListCollector = defineCollector({
  kind: 'region-list',
  operation: regionListOperation,
  noun: 'region discovery',
  follows: [],
  resourceLabels: [],
  configuration: { account: z.object({}), region: z.object({}), nothing: '' },
  actions: [`name/cvm:${regionListOperation}`],
  changeTexts: {},
  isTarget: (each): each is RegionListTarget => each.operation === regionListOperation,
  isSnapshot: (snapshot): snapshot is RegionListSnapshot => snapshot.kind === 'region-list',
  isRecord: (record): record is RegionListRecord => record.kind === 'region-list',
  plan: () => [],
  regionDiscovery: {
    target: regionListTarget,
    regions: ({ counted }) => watchedRegions(counted),
  },
  details: () => '',
  poll: (call, { operation, region }, context) =>
    call({ operation, region, parameters: [] }, readRegions, context),
  needsPoll: ({ seen, target: own }, nowMs) => {
    const { failure, lastPoll } = seen.freshness;
    return (
      lastPoll === null ||
      failure !== null ||
      !areInSamePeriod(targetKey(own), [lastPoll.atMs, nowMs], own.intervalMs)
    );
  },
  newRecord: newRegionListRecord,
  continueRecord: (record, own) => ({ ...record, target: own }),
  countFromZero: (record) => record,
  forget: (counted) => ({ ...counted, inventory: null }),
  compare: ({ counted }, snapshot) => {
    const { regions, unidentified } = snapshot;
    const compared = compareInventories(counted.inventory, regions, unidentified);
    const { next: inventory } = compared;
    const known = new Set(inventory.known);
    const watched = watchedNames(watchedRegions(counted), counted.inventory, compared);
    const unclear = watched.filter((region) => !known.has(region));
    return { counted: { ...counted, inventory, unclear }, differences: [] };
  },
  stored: storedRegionListRecord,
  families: [],
  json: ({ regions }) => ({ regions }),
});
