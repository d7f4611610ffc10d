/** What becomes of polls when the plan changes, and when the poller stops. */
import { describe, expect, test } from 'vitest';
import type { QuotaTarget } from '../../../src/collectors/quota/quota.ts';
import type { Target } from '../../../src/model/target.ts';
import { quotas } from '../../helpers/fake-monitor.ts';
import {
  answer,
  gate,
  manualSchedule,
  pollerWorld,
  settle,
  target,
} from '../../helpers/poller-world.ts';

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
    const world = pollerWorld({
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
      world.poller.update({
        targets: next,
        found: new Map(),
        schedule,
        jitterMs: 0,
        minDeadlineMs: 10_000,
        trendStepMs: 900_000,
      });
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
    expect(recordOf('lt-1').seen.freshness.polls).toBe(0);
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

    poller.update({
      targets: [lt1],
      found: new Map(),
      schedule: next,
      jitterMs: 0,
      minDeadlineMs: 10_000,
      trendStepMs: 900_000,
    });
    next.due();
    await settle();

    expect(schedule.stopped).toBe(true);
    expect(asked).toEqual(['lt-1', 'lt-1']);
  });
});

describe('stopping', () => {
  test('aborts what is in flight, and says nothing about its target', async () => {
    const { poller, schedule, recordOf, kept, stats } = pollerWorld({
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
    expect(recordOf('lt-1').seen.freshness.polls).toBe(0);
    expect(kept).toEqual([]);
    expect(stats.completed).toBe(0);
  });

  test('keeps an answer that had arrived', async () => {
    const { open, opened } = gate();
    const { poller, recordOf } = pollerWorld({ poll: () => opened.then(() => answer(1)) });
    poller.start();
    await settle();

    const stopped = poller.stop();
    open();
    await stopped;

    expect(recordOf('lt-1').seen.freshness.polls).toBe(1);
  });

  test('begins no cycle any more', async () => {
    const { poller, schedule, recordOf } = pollerWorld({});
    poller.start();
    await settle();
    await poller.stop();

    schedule.due();
    await settle();

    expect(recordOf('lt-1').seen.freshness.polls).toBe(1);
  });
});
