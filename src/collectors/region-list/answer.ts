/** Turns an answer of DescribeRegions into a snapshot. */
import { z } from 'zod';
import { readFields, type ServiceResponse } from '../../api/response.ts';
import { CodedError } from '../../model/coded-error.ts';
import type { Anomaly, PollAnswer } from '../../model/poll-outcome.ts';
import { regionName } from '../place-names.ts';
import { boundedMissing, readRows } from '../rows.ts';
import { count, snapshotSchema, text, type Stored } from '../../model/stored.ts';

export const regionListSnapshot = snapshotSchema({
  /** The available regions, in the order of the answer, without duplicates. */
  regions: z.array(text),
  /** The number of rows that may be an available region, but cannot be read. */
  unidentified: count,
});
export type RegionListSnapshot = Stored<typeof regionListSnapshot>;

const answerSchema = z.object({
  TotalCount: z.int().nonnegative().nullish().catch(null),
  RegionSet: z.array(z.unknown()).nullish(),
});

/** A region of an unreadable state may be available. */
const rowSchema = z.object({
  Region: regionName,
  RegionState: z.string().nullish().catch(null),
});

const regionSet = {
  name: 'RegionSet',
  schema: rowSchema,
  nameOf: (row: unknown) => rowSchema.safeParse(row).data?.Region ?? null,
};

/**
 * Reads the available regions.
 *
 * @throws CodedError `InvalidResponse` when the whole has a wrong shape, or no region is available: such a
 *   snapshot would mean that nothing is watched any more
 */
export function readRegions(response: ServiceResponse): PollAnswer<RegionListSnapshot> {
  const { RegionSet, TotalCount } = readFields(response, answerSchema);
  const set = RegionSet ?? [];
  const anomalies: Anomaly[] = [];
  const { rows, unidentified } = readRows(set, regionSet, anomalies);
  const regions = rows
    .filter(({ row }) => (row.RegionState ?? 'AVAILABLE') === 'AVAILABLE')
    .map(({ name }) => name);
  if (regions.length === 0) {
    const message = 'unexpected answer: no region is available';
    throw new CodedError('InvalidResponse', message, { requestId: response.requestId });
  }
  const unread = Math.max(0, (TotalCount ?? 0) - set.length);
  if (unread > 0) {
    const detail = `${set.length} regions were read, the service counts ${TotalCount ?? 0}`;
    anomalies.push({ kind: 'total-count-mismatch', detail });
  }
  return {
    snapshot: {
      regions,
      unidentified: unidentified + unread,
      missing: boundedMissing(anomalies.map(({ detail }) => detail)),
    },
    anomalies,
  };
}
