/** Creates and advances records of the program's own collectors, as the poller does. */
import { collectors } from '../../src/collectors/collectors.ts';
import { advance as advanceWith } from '../../src/model/advance.ts';
import type { PollOutcome } from '../../src/model/poll-outcome.ts';
import type { TargetRecord } from '../../src/model/record.ts';
import type { Target } from '../../src/model/target.ts';

export function newRecord(target: Target): TargetRecord {
  return collectors.of(target).newRecord(target);
}

export function advance(record: TargetRecord, outcome: PollOutcome, nowMs: number) {
  return advanceWith(record, outcome, nowMs, collectors.of(record.target));
}
