import { setMaxListeners } from 'node:events';
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
 * Polls every target once, all in parallel. It has no schedule and no earlier records, and it stores nothing.
 * The client keeps the rate limit. Only the number of attempts bounds the retries.
 *
 * @returns one record per target, in the order of the targets; without the polls that an abort ended
 */
export async function pollOnce(
  targets: readonly Target[],
  { signal, onPolled, ...tools }: PollOnceOptions,
): Promise<TargetRecord[]> {
  // All polls listen to the same signal, so Node.js must not warn about many listeners.
  setMaxListeners(0, signal);
  const context = { signal, deadlineMs: Infinity, isGone: () => false };
  const published = new PublishedRecords();
  const keep: TargetPollTools['keep'] = (target, step) => {
    const before = tools.collectors.of(target).newRecord(target);
    const polled = step(before);
    return Promise.resolve(polled && { before, ...polled });
  };
  const records = await Promise.all(
    targets.map(async (target) => {
      const record = await pollTarget(target, context, { ...tools, published, keep });
      if (record !== null) onPolled(record);
      return record;
    }),
  );
  return records.filter((record) => record !== null);
}
