/** The cycles of single accounts, where several daemons share them. */
import { describe, expect, it, vi } from 'vitest';
import type { PollAnswer } from '../../../src/model/poll-outcome.ts';
import { targetKey, type Target } from '../../../src/model/target.ts';
import { answer, gate, pollerWorld, settle, target } from '../../helpers/poller-world.ts';

const [first, second] = [target('lt-1'), target('lt-2')];
const staging: Target = { ...first, account: 'staging' };
const { account } = first;
const all = { missed: 0, onlyNew: false };

function turn() {
  const ending = new AbortController();
  return { ending, signal: ending.signal, beforeSend: () => undefined };
}

interface Options {
  readonly poll?: (target: Target) => Promise<PollAnswer>;
  readonly onPolled?: () => Promise<void>;
}

function world({ onPolled = () => Promise.resolve(), poll }: Options = {}) {
  const shared = { due: vi.fn(), added: vi.fn(), extended: vi.fn() };
  const polled: string[] = [];
  const created = pollerWorld({
    targets: [first, second, staging],
    shared,
    onPolled,
    poll: (each) => {
      polled.push(targetKey(each));
      return poll?.(each) ?? Promise.resolve(answer(1));
    },
  });
  return { ...created, shared, polled };
}

/** A cycle that has polled the first target, and waits for the second. */
async function waitingCycle(options: Pick<Options, 'onPolled'> = {}) {
  const { open, opened } = gate();
  const created = world({
    ...options,
    poll: async (each) => {
      if (targetKey(each) === targetKey(second)) await opened;
      return answer(1);
    },
  });
  created.poller.start();
  const running = created.poller.runAccountCycle(account, turn(), all);
  await settle();
  return { ...created, open, running };
}

describe('the cycle of an account', () => {
  it('polls its targets only, and counts', async () => {
    const { poller, polled, stats } = world();

    await poller.runAccountCycle(account, turn(), { missed: 2, onlyNew: false });

    expect(polled).toEqual([targetKey(first), targetKey(second)]);
    expect(stats).toMatchObject({ completed: 1, skipped: { missed: 2 } });
  });

  it('of new targets leaves out those that were polled, and is none of the schedule', async () => {
    const { poller, polled, schedule, stats } = world();
    await poller.runAccountCycle(account, turn(), all);
    const third = target('lt-3');
    poller.update({ ...planOf([first, second, staging, third]), schedule });
    polled.length = 0;

    await poller.runAccountCycle(account, turn(), { missed: 0, onlyNew: true });

    expect(polled).toEqual([targetKey(third)]);
    expect(stats.completed).toBe(1);
  });

  it('ends early when its turn ends, and does not count then', async () => {
    const { ending, ...given } = turn();
    const { poller, stats } = world({
      poll: () => {
        ending.abort();
        return Promise.reject(new Error('aborted'));
      },
    });

    await poller.runAccountCycle(account, given, all);

    expect(stats.completed).toBe(0);
  });

  it('that is due while one runs polls only the targets that it has finished', async () => {
    const { open, polled, running, schedule, shared, stats } = await waitingCycle();

    schedule.due();
    await settle();

    expect(polled).toEqual([first, second, first].map(targetKey));
    expect(shared.extended).toHaveBeenCalledExactlyOnceWith(account);
    expect(stats.skipped.overlap).toBe(1);
    open();
    await running;
    expect(stats.completed).toBe(1);
  });

  it('rejects when a poll does, and the account has its next one', async () => {
    const onPolled = vi.fn(() => Promise.resolve());
    onPolled.mockRejectedValueOnce(new Error('a mistake of this program'));
    const { poller, polled, stats } = world({ onPolled });

    await expect(poller.runAccountCycle(account, turn(), all)).rejects.toThrow('a mistake');
    await poller.runAccountCycle(account, turn(), all);

    expect(polled.slice(-2)).toEqual([first, second].map(targetKey));
    expect(stats.completed).toBe(1);
  });

  it('rejects when the deadline of its polls cannot be told, and the account has its next one', async () => {
    const { poller, schedule, shared, stats } = world();
    vi.spyOn(schedule, 'nextRunMs').mockImplementationOnce(() => {
      throw new Error('a mistake of this program');
    });

    await expect(poller.runAccountCycle(account, turn(), all)).rejects.toThrow('a mistake');

    poller.start();
    expect(shared.extended).not.toHaveBeenCalled();
    await poller.runAccountCycle(account, turn(), all);
    expect(stats.completed).toBe(1);
  });

  it('handles the error of an added poll while it waits for others', async () => {
    const onPolled = vi.fn(() => Promise.resolve());
    const { open, running, schedule } = await waitingCycle({ onPolled });
    onPolled.mockRejectedValueOnce(new Error('a mistake of this program'));
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);

    schedule.due();
    await settle();
    open();

    await expect(running).rejects.toThrow('a mistake');
    await settle();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('a new target', () => {
  const third = target('lt-3');

  it('is polled in the cycle of its account that runs here', async () => {
    const { open, opened } = gate();
    const { poller, polled, schedule, shared } = world({
      poll: async () => {
        await opened;
        return answer(1);
      },
    });
    poller.start();
    const running = poller.runAccountCycle(account, turn(), all);

    poller.update({ ...planOf([first, second, staging, third]), schedule });
    open();
    await running;

    expect(polled).toContain(targetKey(third));
    expect(shared.added).not.toHaveBeenCalled();
  });

  it('is left to the cycles that all daemons share when none of its account runs here', () => {
    const { poller, polled, schedule, shared } = world();
    poller.start();

    poller.update({ ...planOf([first, second, staging, third]), schedule });

    expect(polled).toEqual([]);
    expect(shared.added).toHaveBeenCalledExactlyOnceWith(new Set([account]));
  });
});

const planOf = (targets: readonly Target[]) => ({
  targets,
  found: new Map(),
  jitterMs: 0,
  minDeadlineMs: 10_000,
  trendStepMs: 900_000,
});
