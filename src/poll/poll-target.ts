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
  /** Holds the records that polls continue, and receives the new ones. */
  readonly published: PublishedRecords;
  /**
   * Stores a record, and resolves with what may be shown. Never rejects: polling goes on when the store
   * fails.
   */
  readonly keep: (advance: Advance) => Promise<Advance>;
  readonly log: PollLog;
}

export interface TargetPollContext extends Pick<PollContext, 'signal' | 'deadlineMs'> {
  /** Whether a reload has removed the target, so that its poll is of no use. */
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
  // The answer may have come right before the reload that removed its target.
  if (outcome === null || isGone()) return null;

  const before = known();
  const { record, changes } = await keep(advance(before, outcome, clock.now(), compare));
  if (isGone()) return null;
  published.publish(record, changes);
  log.polled(before, record, outcome, changes);
  return record;
}
