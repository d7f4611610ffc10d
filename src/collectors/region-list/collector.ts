/** The regions of an account: DescribeRegions. Each of them gets the targets of every kind. */
import { z } from 'zod';
import { compareInventories, watchedNames } from '../../model/inventory.ts';
import { areInSamePeriod } from '../../model/periods.ts';
import { targetKey } from '../../model/target.ts';
import { defineCollector } from '../collector.ts';
import { cvm } from '../services.ts';
import {
  count,
  inventoryFields,
  recordFields,
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
  snapshot: z
    .object({
      kind: z.literal('region-list'),
      ...snapshotFields,
      regions: z.array(text),
      unidentified: count,
    })
    .nullable(),
  inventory: z.object(inventoryFields(text)).nullable(),
  unclear: z.array(text),
  ...recordFields,
});

export const regionListCollector = defineCollector({
  kind: 'region-list',
  operation: regionListOperation,
  service: cvm,
  noun: 'region discovery',
  resourceLabels: [],
  configuration: { account: z.object({}), region: z.object({}), nothing: '' },
  actions: [`name/${cvm.service}:${regionListOperation}`],
  changeTexts: {},
  isTarget: (each): each is RegionListTarget => each.operation === regionListOperation,
  isSnapshot: (snapshot): snapshot is RegionListSnapshot => snapshot.kind === 'region-list',
  isRecord: (record): record is RegionListRecord => record.kind === 'region-list',
  plan: () => [],
  regionDiscovery: {
    target: regionListTarget,
    regions: watchedRegions,
  },
  details: () => '',
  poll: (call, { operation, region }, context) =>
    call({ ...cvm, action: operation, region, parameters: [] }, readRegions, context),
  needsPoll: ({ freshness: { failure, lastPoll }, target: own }, nowMs) =>
    lastPoll === null ||
    failure !== null ||
    !areInSamePeriod(targetKey(own), [lastPoll.atMs, nowMs], own.intervalMs),
  newRecord: newRegionListRecord,
  continueRecord: (record, own) => ({ ...record, target: own }),
  countFromZero: (record) => record,
  forget: (record) => ({ ...record, inventory: null }),
  compare: (record, snapshot) => {
    const { regions, unidentified } = snapshot;
    const compared = compareInventories(record.inventory, regions, unidentified);
    const { next: inventory } = compared;
    const known = new Set(inventory.known);
    const watched = watchedNames(watchedRegions(record), record.inventory, compared);
    const unclear = watched.filter((region) => !known.has(region));
    return { record: { ...record, snapshot, inventory, unclear }, differences: [] };
  },
  stored: storedRegionListRecord,
  families: [],
  json: ({ regions }) => ({ regions }),
});
