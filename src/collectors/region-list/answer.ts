/** Turns an answer of DescribeRegions into a snapshot. */
import { z } from 'zod';
import { readFields, type ServiceResponse } from '../../api/response.ts';
import { CodedError } from '../../model/coded-error.ts';
import type { Anomaly, PollAnswer } from '../../model/poll-outcome.ts';
import { regionName } from '../place-names.ts';
import { boundedMissing, readRows } from '../read-rows.ts';
import type { RegionListSnapshot } from './record.ts';

const answerSchema = z.object({
  TotalCount: z.int().nonnegative().nullish().catch(null),
  RegionSet: z.array(z.unknown()).nullish(),
});

/** A region of an unreadable state may be available. */
const rowSchema = z.object({
  Region: regionName,
  RegionState: z.string().nullish().catch(null),
});

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
  const { rows, names, unidentified } = readRows(
    set,
    {
      name: 'RegionSet',
      schema: rowSchema,
      nameOf: (row) => {
        const parsed = rowSchema.safeParse(row);
        return parsed.success ? parsed.data.Region : null;
      },
      isWanted: () => true,
    },
    anomalies,
  );
  const regions = rows
    .filter(({ row }) => (row.RegionState ?? 'AVAILABLE') === 'AVAILABLE')
    .map(({ name }) => name);
  if (regions.length === 0) {
    const message = 'unexpected answer: no region is available';
    throw new CodedError('InvalidResponse', message, { requestId: response.requestId });
  }
  const total = TotalCount ?? set.length;
  if (total > set.length) {
    const detail = `${set.length} regions were read, the service counts ${total}`;
    anomalies.push({ kind: 'total-count-mismatch', detail });
  }
  return {
    snapshot: {
      kind: 'region-list',
      appId: null,
      regions,
      unidentified: Math.max(unidentified, total - names.length),
      missing: boundedMissing(anomalies.map(({ detail }) => detail)),
    },
    anomalies,
  };
}
