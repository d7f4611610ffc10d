import { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import { pollTarget, type TargetPollTools } from './poll-target.ts';

export interface PollOnceOptions extends Omit<TargetPollTools, 'keep' | 'published'> {
  readonly signal: AbortSignal;
  /** Called with each record as soon as its target was polled. */
  readonly onPolled: (record: TargetRecord) => void;
}

/**
 * Polls every target once, all side by side, without a schedule, from no record before, and stores
 * nothing. The rate limit is the client's. Only the number of attempts bounds the retries.
 *
 * @returns one record per target, in their order; without those that an abort cut short
 */
export async function pollOnce(
  targets: readonly Target[],
  { signal, onPolled, ...tools }: PollOnceOptions,
): Promise<TargetRecord[]> {
  const context = { signal, deadlineMs: Infinity, isGone: () => false };
  const published = new PublishedRecords();
  const keep: TargetPollTools['keep'] = (advance) => Promise.resolve(advance);
  const records = await Promise.all(
    targets.map(async (target) => {
      const record = await pollTarget(target, context, { ...tools, published, keep });
      if (record !== null) onPolled(record);
      return record;
    }),
  );
  return records.filter((record) => record !== null);
}
