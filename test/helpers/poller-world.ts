/** A poller whose schedule and polls a test runs by hand. */
import { collectors } from '../../src/collectors/collectors.ts';
import type { PollAnswer, PollContext } from '../../src/model/poll-outcome.ts';
import { PublishedRecords } from '../../src/model/published-records.ts';
import type { TargetRecord } from '../../src/model/record.ts';
import { targetKey, type Target } from '../../src/model/target.ts';
import { newCycleStats } from '../../src/poll/cycle-stats.ts';
import { PollLog } from '../../src/poll/poll-log.ts';
import { Poller } from '../../src/poll/poller.ts';
import type { SharedCycles } from '../../src/poll/shared-cycles.ts';
import { newRecord } from './advance.ts';
import { templateTarget } from './fake-monitor.ts';
import { recordingLogger } from './recording-logger.ts';
import { templateSnapshot } from './snapshots.ts';

export const target = (templateId: string): Target =>
  templateTarget('production', 'ap-guangzhou', templateId);

/** An answer that has this default version. */
export const answer = (version: number): PollAnswer => ({
  snapshot: templateSnapshot({
    versions: [1, 2, 3],
    defaultVersion: { version, imageId: '', instanceType: '', chargeType: '' },
  }),
  anomalies: [],
});

/** A schedule that a test runs by hand. */
export function manualSchedule() {
  const schedule = {
    due: (): void => undefined,
    missed: (() => undefined) as (runs: number) => void,
    stopped: false,
    nextMs: 100_000 as number | null,
    start(due: () => void, missed: (runs: number) => void) {
      schedule.due = due;
      schedule.missed = missed;
    },
    stop() {
      schedule.stopped = true;
    },
    nextRunMs: () => schedule.nextMs,
  };
  return schedule;
}

interface PollerWorldOptions {
  readonly targets?: readonly Target[];
  /** By the key of the target that finds them. */
  readonly found?: ReadonlyMap<string, readonly Target[]>;
  readonly poll?: (target: Target, context: PollContext) => Promise<PollAnswer>;
  readonly onPolled?: () => Promise<void>;
  readonly jitterMs?: number;
  readonly random?: () => number;
  readonly shared?: SharedCycles;
}

export function pollerWorld({
  targets = [target('lt-1')],
  found = new Map(),
  poll,
  onPolled = () => Promise.resolve(),
  jitterMs = 0,
  random = () => 0,
  shared,
}: PollerWorldOptions) {
  const { logger, lines } = recordingLogger();
  const published = new PublishedRecords();
  published.replaceAll(targets.map(newRecord));
  const schedule = manualSchedule();
  const stats = newCycleStats();
  const kept: TargetRecord[] = [];
  const clock = { ms: 1_000, now: () => clock.ms };
  const poller = new Poller({
    collectors,
    targets,
    found,
    schedule,
    jitterMs,
    minDeadlineMs: 10_000,
    trendStepMs: 900_000,
    poll: poll ?? (() => Promise.resolve(answer(1))),
    keep: (each, step) => {
      const before = published.get(targetKey(each)) ?? newRecord(each);
      const next = step(before);
      if (next === null) return Promise.resolve(null);
      kept.push(next.record);
      published.publish(next.record, next.changes);
      return Promise.resolve({ before, ...next });
    },
    published,
    stats,
    log: new PollLog(logger, clock),
    onPolled,
    leavesOut: () => false,
    clock,
    random,
    shared,
  });
  const recordOf = (templateId: string) => published.get(targetKey(target(templateId)))!;
  return { poller, schedule, stats, kept, published, lines, clock, recordOf };
}

/** A promise and the function that fulfils it. */
export function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Lets everything happen that waits for nothing. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));
