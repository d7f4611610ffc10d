import { quotas, templateTarget } from '../../helpers/fake-monitor.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { describe, expect, test } from 'vitest';
import { CodedError } from '../../../src/model/coded-error.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import type { PollAnswer, PollContext } from '../../../src/model/poll-outcome.ts';
import { newRecord } from '../../helpers/advance.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import { targetKey, type Target } from '../../../src/model/target.ts';
import { newCycleStats } from '../../../src/poll/cycle-stats.ts';
import { PollLog } from '../../../src/poll/poll-log.ts';
import type { QuotaTarget } from '../../../src/collectors/quota/target.ts';
import { Poller } from '../../../src/poll/poller.ts';
import { templateSnapshot } from '../../helpers/snapshots.ts';

const target = (templateId: string): Target =>
  templateTarget('production', 'ap-guangzhou', templateId);

const answer = (version: number): PollAnswer => ({
  snapshot: templateSnapshot({
    versions: [1, 2, 3],
    defaultVersion: { version, imageId: '', instanceType: '', chargeType: '' },
  }),
  anomalies: [],
});

/** A schedule that a test runs by hand. */
function manualSchedule() {
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

interface Setup {
  readonly targets?: readonly Target[];
  readonly poll?: (target: Target, context: PollContext) => Promise<PollAnswer>;
  readonly jitterMs?: number;
  readonly random?: () => number;
}

function setUp({ targets = [target('lt-1')], poll, jitterMs = 0, random = () => 0 }: Setup) {
  const lines: { level: string; message: string; fields: Record<string, unknown> }[] = [];
  const write =
    (level: string) =>
    (message: string, fields: object = {}) => {
      lines.push({ level, message, fields: { ...fields } });
    };
  const logger = {
    debug: () => undefined,
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  const published = new PublishedRecords();
  published.replaceAll(targets.map(newRecord));
  const schedule = manualSchedule();
  const stats = newCycleStats();
  const kept: TargetRecord[] = [];
  const clock = { ms: 1_000, now: () => clock.ms };
  const poller = new Poller({
    collectors,
    targets,
    schedule,
    jitterMs,
    minDeadlineMs: 10_000,
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
    clock,
    random,
  });
  const recordOf = (templateId: string) => published.get(targetKey(target(templateId)))!;
  return { poller, schedule, stats, kept, published, lines, clock, recordOf };
}

/** A promise and the function that fulfils it. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a cycle', () => {
  test('begins at once at the start, and polls every target', async () => {
    const { poller, recordOf } = setUp({ targets: [target('lt-1'), target('lt-2')] });

    poller.start();
    await settle();

    expect(recordOf('lt-1').freshness.polls).toBe(1);
    expect(recordOf('lt-2').freshness.polls).toBe(1);
    expect(poller.readiness()).toEqual({ isReady: true, attempted: 2, targets: 2 });
  });

  test('asks all targets side by side, so that one that hangs keeps none waiting', async () => {
    const { open, opened } = gate();
    const { poller, recordOf } = setUp({
      targets: [target('lt-1'), target('lt-2')],
      poll: async ({ ...each }) => {
        if (each.resource?.template_id === 'lt-1') await opened;
        return answer(1);
      },
    });

    poller.start();
    await settle();

    expect(recordOf('lt-2').freshness.polls).toBe(1);
    expect(recordOf('lt-1').freshness.polls).toBe(0);
    expect(poller.readiness().isReady).toBe(false);
    open();
  });

  test('that is due while one runs is skipped, counted and logged', async () => {
    const { open, opened } = gate();
    const { poller, schedule, stats, lines } = setUp({ poll: () => opened.then(() => answer(1)) });
    poller.start();

    schedule.due();
    schedule.due();
    open();
    await settle();
    schedule.due();
    await settle();

    expect(stats.skipped.overlap).toBe(2);
    expect(stats.completed).toBe(2);
    expect(lines[0]).toMatchObject({ level: 'warn', fields: { reason: 'overlap' } });
  });

  test('that was missed is counted, not made up for', () => {
    const { poller, schedule, stats } = setUp({});
    poller.start();

    schedule.missed(2);

    expect(stats.skipped.missed).toBe(2);
    expect(stats.completed).toBe(0);
  });

  test('of the schedule waits for its jitter; the first does not', async () => {
    const { poller, schedule, recordOf } = setUp({ jitterMs: 3_600_000, random: () => 0.5 });
    poller.start();
    await settle();

    schedule.due();
    await settle();

    expect(recordOf('lt-1').freshness.polls).toBe(1);
    await poller.stop();
    expect(recordOf('lt-1').freshness.polls).toBe(1);
  });

  test('gives retries until the next run, and at least one timeout', async () => {
    const deadlines: number[] = [];
    const { poller, schedule, clock } = setUp({
      poll: (_, context) => {
        deadlines.push(context.deadlineMs);
        return Promise.resolve(answer(1));
      },
    });
    poller.start();
    await settle();

    schedule.nextMs = clock.ms + 1;
    schedule.due();
    await settle();

    expect(deadlines).toEqual([100_000, clock.ms + 10_000]);
  });
});

describe('a poll', () => {
  test('is kept before it is published', async () => {
    const order: string[] = [];
    const { poller, published, kept } = setUp({});
    const publish = published.publish.bind(published);
    published.publish = (record, changes) => {
      order.push(`published after ${kept.length} kept`);
      publish(record, changes);
    };

    await poller.runCycle();

    expect(order).toEqual(['published after 1 kept']);
  });

  test('that fails leaves the snapshot, and other targets', async () => {
    const answers = [answer(1), new CodedError('Timeout', 'no answer', { requestId: 'r' })];
    const { poller, recordOf } = setUp({
      targets: [target('lt-1'), target('lt-2')],
      poll: (each) => {
        if (each.resource?.template_id === 'lt-2') return Promise.resolve(answer(2));
        const next = answers.shift()!;
        return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
      },
    });

    await poller.runCycle();
    await poller.runCycle();

    expect(recordOf('lt-1')).toMatchObject({
      snapshot: answer(1).snapshot,
      freshness: { failures: { Timeout: 1 }, failure: { code: 'Timeout', requestId: 'r' } },
    });
    expect(recordOf('lt-2').freshness.failure).toBeNull();
  });

  test('of another account is logged, and finds no change', async () => {
    const of = (version: number, appId: number) => {
      const { snapshot, anomalies } = answer(version);
      return { snapshot: { ...snapshot, appId }, anomalies };
    };
    const answers = [of(1, 7), of(2, 8)];
    const { poller, recordOf, lines } = setUp({ poll: () => Promise.resolve(answers.shift()!) });

    await poller.runCycle();
    await poller.runCycle();

    expect(lines).toMatchObject([{ level: 'warn', fields: { old_app_id: 7, new_app_id: 8 } }]);
    expect(recordOf('lt-1')).toMatchObject({ defaultVersionChanges: 0, recentChanges: [] });
  });

  test('can ask whether what it read is a change', async () => {
    const found: (boolean | undefined)[] = [];
    const { poller } = setUp({
      poll: (_target, { findsChange }) => {
        const { snapshot } = answer(1 + found.length);
        found.push(findsChange?.(snapshot));
        return Promise.resolve({ snapshot, anomalies: [] });
      },
    });

    await poller.runCycle();
    await poller.runCycle();

    expect(found).toEqual([false, true]);
  });

  test('that throws what has no code is logged with its stack, and counted', async () => {
    const { poller, recordOf, lines } = setUp({
      poll: () => Promise.reject(new TypeError('a mistake of ours')),
    });

    await poller.runCycle();

    expect(recordOf('lt-1').freshness.failures).toEqual({ InvalidResponse: 1 });
    expect(lines[0]).toMatchObject({ level: 'error' });
  });

  test('is logged when it begins to fail, when the reason changes, and when it recovers', async () => {
    const outcomes = ['Timeout', 'Timeout', 'HttpStatus', null, null];
    const { poller, lines } = setUp({
      poll: () => {
        const code = outcomes.shift();
        return code ? Promise.reject(new CodedError(code, '')) : Promise.resolve(answer(1));
      },
    });

    for (let i = 0; i < 5; i += 1) await poller.runCycle();

    expect(lines.map(({ message, fields }) => [message, fields.code])).toEqual([
      ['target is failing', 'Timeout'],
      ['target is failing', 'HttpStatus'],
      ['target recovered', 'HttpStatus'],
    ]);
  });

  test('that finds a change logs it and feeds it', async () => {
    const versions = [1, 3];
    const { poller, lines, published } = setUp({
      poll: () => Promise.resolve(answer(versions.shift()!)),
    });

    await poller.runCycle();
    await poller.runCycle();

    expect(lines).toHaveLength(1);
    expect(lines[0]?.fields).toMatchObject({ kind: 'default-version-changed', from: 1, to: 3 });
    expect(published.changes()).toHaveLength(1);
  });

  test('logs anomalies when they begin, change and end', async () => {
    const details = ['a', 'a', 'b', null];
    const { poller, lines } = setUp({
      poll: () => {
        const detail = details.shift();
        const anomalies = detail ? [{ kind: 'invalid-row' as const, detail }] : [];
        return Promise.resolve({ ...answer(1), anomalies });
      },
    });

    for (let i = 0; i < 4; i += 1) await poller.runCycle();

    expect(lines.map(({ fields }) => fields.anomalies)).toEqual([
      'invalid-row: a',
      'invalid-row: b',
      '',
    ]);
  });
});

describe('another plan', () => {
  const lt1 = target('lt-1');
  const lt2 = target('lt-2');
  const quota = (...zones: string[]): QuotaTarget => ({
    account: 'production',
    region: 'ap-guangzhou',
    operation: 'DescribeAccountQuota',
    selection: { quotaTypes: ['postpaid'], zones },
  });

  /** A poller whose polls a test ends, and that tells what was asked and what was aborted. */
  async function started(...targets: Target[]) {
    const asked: string[] = [];
    const aborted: string[] = [];
    const gates: (() => void)[] = [];
    const world = setUp({
      targets,
      poll: (each, { signal }) => {
        const name = each.resource?.template_id ?? 'quota';
        asked.push(name);
        const { open, opened } = gate();
        gates.push(open);
        return new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.push(name);
            reject(new Error('aborted'));
          });
          void opened.then(() => {
            const isTemplate = each.resource !== undefined;
            resolve(isTemplate ? answer(1) : { snapshot: quotas(), anomalies: [] });
          });
        });
      },
    });
    const answerAll = async () => {
      for (const open of gates) open();
      await settle();
    };
    const update = (...next: Target[]) => {
      const { schedule } = world;
      world.poller.update({ targets: next, schedule, jitterMs: 0, minDeadlineMs: 10_000 });
    };
    world.poller.start();
    await settle();
    return { ...world, asked, aborted, answerAll, update };
  }

  test('leaves polls in flight and the cycle of what stays', async () => {
    const { asked, aborted, answerAll, update, stats, schedule } = await started(lt1);

    update(target('lt-1'), lt2);
    await settle();
    await answerAll();

    expect(asked).toEqual(['lt-1', 'lt-2']);
    expect(aborted).toEqual([]);
    expect(stats.completed).toBe(1);
    expect(schedule.stopped).toBe(false);
  });

  test('is not polled at once where it has nothing new', async () => {
    const { asked, answerAll, update } = await started(lt1);
    await answerAll();

    update(target('lt-1'));
    await settle();

    expect(asked).toEqual(['lt-1']);
  });

  test('aborts the poll of what is gone, which is neither kept nor published', async () => {
    const { aborted, answerAll, update, kept, recordOf, stats } = await started(lt1, lt2);

    update(lt2);
    await settle();
    await answerAll();

    expect(aborted).toEqual(['lt-1']);
    expect(kept.map(({ target: each }) => each)).toEqual([lt2]);
    expect(recordOf('lt-1').freshness.polls).toBe(0);
    expect(stats.completed).toBe(1);
  });

  test('drops the answer of what is gone even when it had arrived', async () => {
    const { answerAll, update, kept } = await started(lt1);

    const answered = answerAll();
    update();
    await answered;

    expect(kept).toEqual([]);
  });

  test('makes the poll of another selection again', async () => {
    const { asked, aborted, update } = await started(quota('ap-guangzhou-3'));

    update(quota('ap-guangzhou-4'));
    await settle();

    expect(asked).toEqual(['quota', 'quota']);
    expect(aborted).toEqual(['quota']);
  });

  test('does not poll another selection at once where no poll is in flight', async () => {
    const { asked, answerAll, update, poller } = await started(quota('ap-guangzhou-3'));
    await answerAll();

    update(quota('ap-guangzhou-4'));
    await settle();

    expect(asked).toEqual(['quota']);
    expect(poller.readiness()).toMatchObject({ isReady: true, attempted: 1 });
  });

  test('never takes readiness back', async () => {
    const { answerAll, update, poller } = await started(lt1);
    await answerAll();

    update(lt1, lt2);

    expect(poller.readiness()).toEqual({ isReady: true, attempted: 1, targets: 2 });
  });

  test('may make ready what waited for a target that is gone', async () => {
    const { poller, update } = await started(lt1, lt2);

    expect(poller.readiness().isReady).toBe(false);
    update();

    expect(poller.readiness().isReady).toBe(true);
  });

  test('polls a target that is due while its first poll is in flight no second time', async () => {
    const { asked, answerAll, update, schedule } = await started(lt1);
    await answerAll();
    update(lt1, lt2);

    schedule.due();
    await settle();

    expect(asked).toEqual(['lt-1', 'lt-2', 'lt-1']);
  });

  test('of another schedule stops the one before and starts that', async () => {
    const { poller, schedule, asked, answerAll } = await started(lt1);
    await answerAll();
    const next = manualSchedule();

    poller.update({ targets: [lt1], schedule: next, jitterMs: 0, minDeadlineMs: 10_000 });
    next.due();
    await settle();

    expect(schedule.stopped).toBe(true);
    expect(asked).toEqual(['lt-1', 'lt-1']);
  });
});

describe('stopping', () => {
  test('aborts what is in flight, and says nothing about its target', async () => {
    const { poller, schedule, recordOf, kept, stats } = setUp({
      poll: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
        }),
    });
    poller.start();
    await settle();

    await poller.stop();

    expect(schedule.stopped).toBe(true);
    expect(recordOf('lt-1').freshness.polls).toBe(0);
    expect(kept).toEqual([]);
    expect(stats.completed).toBe(0);
  });

  test('keeps an answer that had arrived', async () => {
    const { open, opened } = gate();
    const { poller, recordOf } = setUp({ poll: () => opened.then(() => answer(1)) });
    poller.start();
    await settle();

    const stopped = poller.stop();
    open();
    await stopped;

    expect(recordOf('lt-1').freshness.polls).toBe(1);
  });

  test('begins no cycle any more', async () => {
    const { poller, schedule, recordOf } = setUp({});
    poller.start();
    await settle();
    await poller.stop();

    schedule.due();
    await settle();

    expect(recordOf('lt-1').freshness.polls).toBe(1);
  });
});
