import type { CollectorSet } from '../collectors/collector-set.ts';
import { advance, type Advance } from '../model/advance.ts';
import type { PollContext } from '../model/poll-outcome.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { targetKey, type Target } from '../model/target.ts';
import { pollOutcome, type PollTools } from './outcome.ts';
import type { PollLog } from './poll-log.ts';

export interface TargetPollTools extends PollTools {
  readonly collectors: CollectorSet;
  /** Holds the records that polls continue, and takes those that they make. */
  readonly published: PublishedRecords;
  /** Stores a record, and gives what may be shown. Never rejects: a store that fails ends no polling. */
  readonly keep: (advance: Advance) => Promise<Advance>;
  readonly log: PollLog;
}

export interface TargetPollContext extends Pick<PollContext, 'signal' | 'deadlineMs'> {
  /** Whether the target is polled in vain: a reload has taken it away. */
  readonly isGone: () => boolean;
}

/**
 * Polls a target once: its record is advanced, kept, published and logged.
 *
 * @returns the record; `null` when the poll was cut short, or its target is gone
 */
export async function pollTarget(
  target: Target,
  { isGone, ...bounds }: TargetPollContext,
  tools: TargetPollTools,
): Promise<TargetRecord | null> {
  const { clock, collectors, keep, log, published } = tools;
  const { compare, newRecord } = collectors.of(target);
  const key = targetKey(target);
  const known = () => published.get(key) ?? newRecord(target);
  const findsChange = (snapshot: Snapshot) =>
    compare(known(), snapshot, clock.now()).differences.length > 0;
  const outcome = await pollOutcome(target, { ...bounds, findsChange }, tools);
  // An answer may have come right before the reload that took its target away.
  if (outcome === null || isGone()) return null;

  const before = known();
  const { record, changes } = await keep(advance(before, outcome, clock.now(), compare));
  if (isGone()) return null;
  published.publish(record, changes);
  log.polled(before, record, outcome, changes);
  return record;
}
