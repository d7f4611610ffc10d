import type { CollectorSet } from '../collectors/collector-set.ts';
import { advance } from '../model/advance.ts';
import type { Clock } from '../model/clock.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import { pollOutcome, type Poll } from './outcome.ts';
import type { PollLog } from './poll-log.ts';

export interface PollOnceOptions {
  readonly collectors: CollectorSet;
  readonly poll: Poll;
  readonly clock: Clock;
  readonly log: PollLog;
  readonly signal: AbortSignal;
  /** Told of each record as soon as its target was polled. */
  readonly onPolled: (record: TargetRecord) => void;
}

/**
 * Polls every target once, all side by side, without a schedule and from no record before; the rate
 * limit is the client's, and what bounds the retries is the number of attempts alone.
 *
 * @returns one record per target, in their order; without those that an abort cut short
 */
export async function pollOnce(
  targets: readonly Target[],
  options: PollOnceOptions,
): Promise<TargetRecord[]> {
  const { clock, collectors, log, onPolled, signal } = options;
  const context = { signal, deadlineMs: Infinity };
  const records = await Promise.all(
    targets.map(async (target) => {
      const outcome = await pollOutcome(target, context, options);
      if (outcome === null) return null;
      const { compare, newRecord } = collectors.of(target);
      const before = newRecord(target);
      const { record, changes } = advance(before, outcome, clock.now(), compare);
      log.polled(before, record, outcome, changes);
      onPolled(record);
      return record;
    }),
  );
  return records.filter((record) => record !== null);
}
