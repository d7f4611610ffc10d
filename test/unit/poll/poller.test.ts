import { describe, expect, test } from 'vitest';
import { CodedError } from '../../../src/model/coded-error.ts';
import { answer, gate, pollerWorld, settle, target } from '../../helpers/poller-world.ts';

describe('a cycle', () => {
  test('begins at once at the start, and polls every target', async () => {
    const { poller, recordOf } = pollerWorld({ targets: [target('lt-1'), target('lt-2')] });

    poller.start();
    await settle();

    expect(recordOf('lt-1').seen.freshness.polls).toBe(1);
    expect(recordOf('lt-2').seen.freshness.polls).toBe(1);
    expect(poller.readiness()).toEqual({ isReady: true, attempted: 2, targets: 2 });
  });

  test('asks all targets side by side, so that one that hangs keeps none waiting', async () => {
    const { open, opened } = gate();
    const { poller, recordOf } = pollerWorld({
      targets: [target('lt-1'), target('lt-2')],
      poll: async ({ ...each }) => {
        if (each.resource?.template_id === 'lt-1') await opened;
        return answer(1);
      },
    });

    poller.start();
    await settle();

    expect(recordOf('lt-2').seen.freshness.polls).toBe(1);
    expect(recordOf('lt-1').seen.freshness.polls).toBe(0);
    expect(poller.readiness().isReady).toBe(false);
    open();
  });

  test('that is due while one runs polls the targets that it has finished', async () => {
    const { open, opened } = gate();
    const { poller, schedule, stats, recordOf } = pollerWorld({
      targets: [target('lt-dead'), target('lt-1'), target('lt-2')],
      poll: async ({ ...each }) => {
        if (each.resource?.template_id === 'lt-dead') await opened;
        return answer(1);
      },
    });
    const polls = () =>
      ['lt-dead', 'lt-1', 'lt-2'].map((each) => recordOf(each).seen.freshness.polls);
    poller.start();
    await settle();

    schedule.due();
    await settle();
    expect(polls()).toEqual([0, 2, 2]);
    schedule.due();
    await settle();

    expect(polls()).toEqual([0, 3, 3]);
    expect(stats).toMatchObject({ skipped: { overlap: 2 }, completed: 0 });
    open();
    await settle();
    expect(polls()).toEqual([1, 3, 3]);
    expect(stats.completed).toBe(1);
  });

  test('that waits for a long jitter delays no later cycle', async () => {
    const { poller, schedule, stats, recordOf } = pollerWorld({
      jitterMs: 3_600_000,
      random: () => 0.5,
    });
    poller.start();
    await settle();
    schedule.due();

    poller.update({
      targets: [target('lt-1')],
      found: new Map(),
      schedule,
      jitterMs: 0,
      minDeadlineMs: 10_000,
      trendStepMs: 900_000,
    });
    schedule.due();
    await settle();
    schedule.due();
    await settle();

    expect(recordOf('lt-1').seen.freshness.polls).toBe(3);
    expect(stats).toMatchObject({ skipped: { overlap: 0 }, completed: 3 });
    await poller.stop();
  });

  test('that is due while one polls every target is skipped, counted and logged', async () => {
    const { open, opened } = gate();
    const { poller, schedule, stats, lines } = pollerWorld({
      poll: () => opened.then(() => answer(1)),
    });
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
    const { poller, schedule, stats } = pollerWorld({});
    poller.start();

    schedule.missed(2);

    expect(stats.skipped.missed).toBe(2);
    expect(stats.completed).toBe(0);
  });

  test('of the schedule waits for its jitter; the first does not', async () => {
    const { poller, schedule, recordOf } = pollerWorld({ jitterMs: 3_600_000, random: () => 0.5 });
    poller.start();
    await settle();

    schedule.due();
    await settle();

    expect(recordOf('lt-1').seen.freshness.polls).toBe(1);
    await poller.stop();
    expect(recordOf('lt-1').seen.freshness.polls).toBe(1);
  });

  test('gives retries until the next run, and at least one timeout', async () => {
    const deadlines: number[] = [];
    const { poller, schedule, clock } = pollerWorld({
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
    const { poller, published, kept } = pollerWorld({});
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
    const { poller, recordOf } = pollerWorld({
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
    expect(recordOf('lt-2').seen.freshness.failure).toBeNull();
  });

  test('of another account is logged, and finds no change', async () => {
    const of = (version: number, appId: number) => {
      const { snapshot, anomalies } = answer(version);
      return { snapshot: { ...snapshot, appId }, anomalies };
    };
    const answers = [of(1, 7), of(2, 8)];
    const { poller, recordOf, lines } = pollerWorld({
      poll: () => Promise.resolve(answers.shift()!),
    });

    await poller.runCycle();
    await poller.runCycle();

    expect(lines).toMatchObject([{ level: 'warn', fields: { old_app_id: 7, new_app_id: 8 } }]);
    expect(recordOf('lt-1')).toMatchObject({ defaultVersionChanges: 0, recentChanges: [] });
  });

  test('that throws what has no code is logged with its stack, and counted', async () => {
    const { poller, recordOf, lines } = pollerWorld({
      poll: () => Promise.reject(new TypeError('a mistake of ours')),
    });

    await poller.runCycle();

    expect(recordOf('lt-1').seen.freshness.failures).toEqual({ InvalidResponse: 1 });
    expect(lines[0]).toMatchObject({ level: 'error' });
  });

  test('is logged when it begins to fail, when the reason changes, and when it recovers', async () => {
    const outcomes = ['Timeout', 'Timeout', 'HttpStatus', null, null];
    const { poller, lines } = pollerWorld({
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
    const { poller, lines, published } = pollerWorld({
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
    const { poller, lines } = pollerWorld({
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
