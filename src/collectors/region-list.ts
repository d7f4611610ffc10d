/**
 * The kind that finds the regions of an account: DescribeRegions. `plan.ts` plans the targets of the other kinds in each
 * region that it found.
 */
import { z } from 'zod';
import { unexpectedAnswer } from '../api/response.ts';
import { namesToPoll } from '../model/inventory.ts';
import { snapshotSchema } from '../model/poll-outcome.ts';
import { recordSchema } from '../model/record.ts';
import { count, text, type Stored } from '../model/stored.ts';
import { hourMs } from '../model/target.ts';
import { defineCollector } from './collector.ts';
import { regionName } from './keys.ts';
import { isListDue, listingOf } from './listing.ts';
import { readWholeList } from './lists.ts';
import { lenient } from './rows.ts';

const operation = 'DescribeRegions';

/** Each region answers with the regions of the whole account. */
const askedRegion = 'ap-guangzhou';

const listing = listingOf(text, {
  noun: 'region',
  metric: 'cvm_regions',
  verbs: ['appeared', 'disappeared'],
  operation,
});

const stored = recordSchema({
  target: { intervalMs: count },
  durable: {
    /** The regions that are known to be available, and how often they changed. */
    ...listing.fields,
    /** The regions that get targets, ascending: all that may be available, also those that one answer lacks. */
    watched: z.array(text).default([]),
  },
  snapshot: snapshotSchema({
    /** The available regions, in the order of the answer, without duplicates. */
    regions: z.array(text),
    /** The number of rows that may be an available region, but cannot be read. */
    unidentified: count,
  }),
});
type RegionListRecord = Stored<typeof stored>;

const regionSet = {
  name: 'RegionSet',
  noun: 'regions',
  isNeverEmpty: true,
  id: z.object({ Region: regionName }),
  schema: z.object({ RegionState: lenient(text) }),
};

export const regionListCollector = defineCollector<RegionListRecord>({
  kind: 'region-list',
  operation,
  noun: 'region discovery',
  changeTexts: listing.changeTexts,
  // Its target comes from `regionDiscovery`.
  plan: () => [],
  regionDiscovery: {
    target: (account) => ({ account, region: askedRegion, operation, intervalMs: hourMs }),
    regions: ({ durable: { watched } }) => watched,
  },
  poll: async (ask) => {
    const { anomalies, names, requestId, rows, total } = await readWholeList(ask, regionSet);
    // A region of an unreadable or unlisted state may be available.
    const unavailable = rows.filter(({ row }) => row.RegionState === 'UNAVAILABLE');
    const regions = names.filter((region) => !unavailable.some(({ name }) => name === region));
    // With an empty list, no region would be watched any more.
    if (regions.length === 0) throw unexpectedAnswer('no region is available', requestId);
    return { snapshot: { regions, unidentified: total - names.length, missing: [] }, anomalies };
  },
  needsPoll: isListDue,
  compare: ({ durable: before }, { regions, unidentified }) => {
    const isWhole = unidentified === 0;
    const { durable, differences, known } = listing.compare(before, regions, isWhole);
    const watched = namesToPoll(before.watched, regions, { known, isWhole }).toSorted();
    return { durable: { ...durable, watched }, differences };
  },
  stored,
  families: listing.families,
  json: ({ regions }) => ({ regions }),
});
