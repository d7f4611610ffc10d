/** The regions of an account: DescribeRegions. Each of them gets the targets of every kind. */
import { z } from 'zod';
import type { Comparison } from '../../model/advance.ts';
import { watchedNames } from '../../model/inventory.ts';
import { areInSamePeriod, hourMs } from '../../model/periods.ts';
import { targetKey } from '../../model/target.ts';
import { cvm } from '../services.ts';
import { defineCollector } from '../collector.ts';
import {
  compareListing,
  listingFamilies,
  listingFields,
  listingTexts,
  newListing,
  type ListingWords,
} from '../listing.ts';
import { count, recordSchema, text, type Stored } from '../../model/stored.ts';
import { readRegions, regionListSnapshot, type RegionListSnapshot } from './answer.ts';

const operation = 'DescribeRegions';

const words: ListingWords = {
  noun: 'region',
  change: 'region',
  metric: 'cvm_regions',
  verbs: ['appeared', 'disappeared'],
  operation,
};

/** Each region answers with the regions of the whole account (docs/service.md, section 7). */
const askedRegion = 'ap-guangzhou';

const storedRegionListRecord = recordSchema(operation, {
  target: { intervalMs: count },
  counted: {
    /** The regions that are known to be available. */
    ...listingFields(text),
    /** The regions that may be available. */
    watched: z.array(text),
  },
  snapshot: regionListSnapshot,
});

export type RegionListRecord = Stored<typeof storedRegionListRecord>;
type RegionListCounted = RegionListRecord['counted'];

/** The target that finds the regions of an account. */
export function regionListTarget(account: string): RegionListRecord['target'] {
  return { account, region: askedRegion, operation, intervalMs: hourMs };
}

/** Compares the available regions with the known ones. */
function compare(
  { counted }: RegionListRecord,
  { regions, unidentified }: RegionListSnapshot,
): Comparison<RegionListCounted> {
  const isWhole = unidentified === 0;
  const { listing, known, differences } = compareListing(counted, regions, isWhole, words);
  const watched = watchedNames(counted.watched, regions, { known, isWhole }).toSorted();
  return { counted: { ...counted, ...listing, watched }, differences };
}

/** Once an hour, and again in the next cycle while it fails or lacks a known region. */
function needsPoll({ counted, seen, target: own }: RegionListRecord, nowMs: number): boolean {
  const { failure, lastPoll } = seen.freshness;
  if (lastPoll === null || failure !== null) return true;
  if (counted.inventory !== null && counted.inventory.lacking.length > 0) return true;
  return !areInSamePeriod(targetKey(own), [lastPoll.atMs, nowMs], own.intervalMs);
}

export const regionListCollector = defineCollector<RegionListRecord>({
  kind: 'region-list',
  operation,
  service: cvm,
  noun: 'region discovery',
  changeTexts: listingTexts(words),
  plan: () => [],
  regionDiscovery: {
    target: regionListTarget,
    regions: ({ counted: { watched } }) => watched,
  },
  poll: (call, { region }, context) =>
    call({ ...cvm, action: operation, region, parameters: [] }, readRegions, context),
  needsPoll,
  newCounted: { ...newListing, watched: [] },
  forget: (counted) => ({ ...counted, inventory: null }),
  compare,
  stored: storedRegionListRecord,
  families: listingFamilies(words),
  json: ({ regions }) => ({ regions }),
});
