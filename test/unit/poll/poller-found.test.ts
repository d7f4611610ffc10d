import { describe, expect, test } from 'vitest';
import { CodedError } from '../../../src/model/coded-error.ts';
import type { PollAnswer } from '../../../src/model/poll-outcome.ts';
import { targetKey, type Target } from '../../../src/model/target.ts';
import { templateListTarget } from '../../helpers/fake-monitor.ts';
import { answer, gate, pollerWorld, settle, target } from '../../helpers/poller-world.ts';
import { templateListSnapshot } from '../../helpers/snapshots.ts';

const row = { name: 'web', defaultVersion: 1, latestVersion: 3, versions: 3 };
const list = templateListTarget('production', 'ap-guangzhou');
const found = ['lt-1', 'lt-2'].map((id): Target & { listed: typeof row } => ({
  ...target(id),
  listed: row,
}));
const listed: PollAnswer = {
  snapshot: templateListSnapshot({ templates: [] }),
  anomalies: [],
};

/** A list that finds two templates. Each request is in `asked`, and waits for `before`. */
function world(
  before: (name: string) => Promise<void> = () => Promise.resolve(),
  options: Partial<Parameters<typeof pollerWorld>[0]> = {},
) {
  const asked: string[] = [];
  const made = pollerWorld({
    ...options,
    targets: [list, ...found],
    found: new Map([[targetKey(list), found]]),
    poll: async (each) => {
      const name = each.resource?.template_id ?? 'list';
      asked.push(name);
      await before(name);
      return name === 'list' ? listed : answer(1);
    },
  });
  return { ...made, asked };
}

describe('targets that another one finds', () => {
  test('are polled after it', async () => {
    const { open, opened } = gate();
    const { poller, asked } = world((name) => (name === 'list' ? opened : Promise.resolve()));

    poller.start();
    await settle();
    expect(asked).toEqual(['list']);
    open();
    await settle();

    expect(asked).toEqual(['list', 'lt-1', 'lt-2']);
    expect(poller.readiness()).toEqual({ isReady: true, attempted: 3, targets: 3 });
  });

  test('are not polled again while it shows them unchanged, and are as fresh as it', async () => {
    const { poller, schedule, asked, clock, recordOf } = world();
    poller.start();
    await settle();

    clock.ms += 1_000;
    schedule.due();
    await settle();

    expect(asked).toEqual(['list', 'lt-1', 'lt-2', 'list']);
    expect(recordOf('lt-1').seen.freshness).toMatchObject({ polls: 1, lastSuccessAtMs: 2_000 });
  });

  test('stay as fresh as they are when it fails', async () => {
    let fails = false;
    const { poller, schedule, asked, clock, recordOf } = world((name) => {
      if (name !== 'list') clock.ms = 1_500;
      return fails && name === 'list'
        ? Promise.reject(new CodedError('Timeout', 'no answer'))
        : Promise.resolve();
    });
    poller.start();
    await settle();

    fails = true;
    clock.ms = 3_000;
    schedule.due();
    await settle();

    expect(asked).toEqual(['list', 'lt-1', 'lt-2', 'list']);
    expect(recordOf('lt-1').seen.freshness.lastSuccessAtMs).toBe(1_500);
  });

  test('are not polled twice at the same time', async () => {
    const { open, opened } = gate();
    const { poller, schedule, asked, stats } = world((name) =>
      name === 'lt-1' ? opened : Promise.resolve(),
    );
    poller.start();
    await settle();

    schedule.due();
    await settle();
    expect(asked).toEqual(['list', 'lt-1', 'lt-2', 'list']);
    expect(stats).toMatchObject({ completed: 0, skipped: { overlap: 1 } });
    open();
    await settle();

    expect(stats.completed).toBe(1);
  });

  test('follow a slow poll once, however many cycles begin meanwhile', async () => {
    const { open, opened } = gate();
    let isSlow = false;
    const { poller, schedule, kept } = world(() => (isSlow ? opened : Promise.resolve()));
    const timesKept = () =>
      kept.filter((each) => each.target.resource?.template_id === 'lt-1').length;
    poller.start();
    await settle();
    const before = timesKept();

    isSlow = true;
    for (let cycle = 0; cycle < 5; cycle += 1) schedule.due();
    open();
    await settle();

    expect(timesKept() - before).toBe(1);
  });

  test('are not polled any more when the poller stops', async () => {
    const { open, opened } = gate();
    const { poller, asked } = world(undefined, { onPolled: () => opened });
    poller.start();
    await settle();

    const stopped = poller.stop();
    open();
    await stopped;

    expect(asked).toEqual(['list']);
  });
});
