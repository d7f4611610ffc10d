/** The turn of a daemon at the cycle of an account, on a simulated clock. */
import { describe, expect, it, vi } from 'vitest';
import { takeTurn, type CycleStore, type OwnCycle } from '../../../src/cluster/turn.ts';
import type { RunningCycle } from '../../../src/cluster/turn.ts';
import { Simulation, startMs } from '../../support/cluster-model/simulation.ts';

/** Lets everything happen that waits for nothing. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const lockMs = 3_000;
const dueMs = 60_000;
const begun: OwnCycle = {
  epoch: 1,
  id: 'id',
  formerEpoch: 0,
  formerMember: '',
  isTakenOver: false,
  idleMs: 0,
  finishedDueMs: null,
  isNext: true,
};

interface Options {
  readonly begun?: Partial<OwnCycle> | null;
  readonly dueMs?: number | null;
  readonly extendLock?: () => Promise<boolean>;
  readonly run?: (cycle: RunningCycle) => Promise<void>;
}

/** A turn that has begun. The time stands still until the test lets it pass. */
function takeTurnOf(options: Options = {}) {
  const simulation = new Simulation();
  const timers = {
    now: () => simulation.nowMs,
    after: (delayMs: number, call: () => void) => simulation.schedule(null, delayMs, call),
  };
  const turn = new AbortController();
  const calls: string[] = [];
  const begin = vi.fn<CycleStore['begin']>(() =>
    Promise.resolve(options.begun === null ? null : { ...begun, ...options.begun }),
  );
  const store: CycleStore = {
    begin,
    sends: () => {
      calls.push(`sends at ${simulation.nowMs - startMs}`);
    },
    end: (_, isComplete) => {
      calls.push(`end ${isComplete ? 'complete' : 'incomplete'}`);
      return Promise.resolve();
    },
  };
  const onTakenOver = vi.fn();
  const extendLock = vi.fn(options.extendLock ?? (() => Promise.resolve(true)));
  const run = vi.fn(options.run ?? (() => Promise.resolve()));
  const result = takeTurn(
    {
      account: 'production',
      dueMs: options.dueMs === undefined ? dueMs : options.dueMs,
      extendLock,
    },
    turn,
    { store, member: 'this', lockMs, timers, onTakenOver, run },
  );
  // A rejection is for the test, which may look later.
  result.catch(() => undefined);
  const pass = async (ms: number) => {
    await settle();
    await simulation.runUntil(simulation.nowMs + ms);
  };
  return { begin, calls, extendLock, onTakenOver, pass, result, run, turn };
}

/** Work that ends with its turn. */
const untilTheEnd = ({ signal }: RunningCycle) =>
  new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });

describe('a turn', () => {
  it('runs the cycle, and ends it as complete', async () => {
    const { calls, onTakenOver, result, run } = takeTurnOf();

    expect(await result).toBe(true);

    expect(run).toHaveBeenCalledOnce();
    expect(calls.slice(0, 2)).toEqual(['sends at 0', 'end complete']);
    expect(onTakenOver).not.toHaveBeenCalled();
  });

  it('at targets without a poll finishes no due time', async () => {
    const { calls, result, begin } = takeTurnOf({ dueMs: null });

    expect(await result).toBe(true);

    expect(begin).toHaveBeenCalledWith('production', 'this', 0);
    expect(calls).not.toContain('end complete');
  });

  it('runs nothing when the cycle was finished before', async () => {
    const { result, run } = takeTurnOf({ begun: null });

    expect(await result).toBe(true);
    expect(run).not.toHaveBeenCalled();
  });

  it('begins nothing without the lock', async () => {
    const { result, begin } = takeTurnOf({ extendLock: () => Promise.resolve(false) });

    expect(await result).toBe(false);
    expect(begin).not.toHaveBeenCalled();
  });

  it('begins nothing when Redis does not tell of the lock', async () => {
    const { result, begin } = takeTurnOf({ extendLock: () => Promise.reject(new Error('away')) });

    expect(await result).toBe(false);
    expect(begin).not.toHaveBeenCalled();
  });

  it('tells of a cycle that it took over, and waits out the requests of the former daemon', async () => {
    const former = { formerEpoch: 1, formerMember: 'other', isTakenOver: true, isNext: false };
    const { calls, onTakenOver, pass, result, run } = takeTurnOf({ begun: former });

    await pass(1_324);
    expect(run).not.toHaveBeenCalled();
    await pass(2);

    expect(await result).toBe(true);
    expect(onTakenOver).toHaveBeenCalledExactlyOnceWith('production', 'other');
    expect(calls[0]).toBe('sends at 1325');
  });

  it('that ends during this wait polls nothing', async () => {
    const { calls, pass, result, run, turn } = takeTurnOf({ begun: { isNext: false } });
    await pass(100);

    turn.abort();

    expect(await result).toBe(false);
    expect(run).not.toHaveBeenCalled();
    expect(calls).toEqual(['end incomplete']);
  });

  it('renews its lock three times in its duration until it ends', async () => {
    const { extendLock, pass, result, turn } = takeTurnOf({ run: untilTheEnd });
    await pass(2 * lockMs + 10);
    expect(extendLock).toHaveBeenCalledTimes(7);

    turn.abort();
    await result;
    await pass(2 * lockMs);

    expect(extendLock).toHaveBeenCalledTimes(7);
  });

  it('ends when another daemon has the lock', async () => {
    let isMine = true;
    const { calls, pass, result, turn } = takeTurnOf({
      run: untilTheEnd,
      extendLock: () => Promise.resolve(isMine),
    });
    await pass(10);

    isMine = false;
    await pass(lockMs / 3);

    expect(turn.signal.aborted).toBe(true);
    expect(await result).toBe(false);
    expect(calls.at(-1)).toBe('end incomplete');
  });

  it('ends with its lease while Redis does not answer', async () => {
    let answers = true;
    const { pass, result, turn } = takeTurnOf({
      run: untilTheEnd,
      extendLock: () => (answers ? Promise.resolve(true) : Promise.reject(new Error('away'))),
    });
    await pass(10);

    answers = false;
    await pass(0.9 * lockMs - 11);
    expect(turn.signal.aborted).toBe(false);
    await pass(2);

    expect(turn.signal.aborted).toBe(true);
    expect(await result).toBe(false);
  });

  it('sends nothing after its lease, also before the timer has ended it', async () => {
    const sent: string[] = [];
    const nowMs = vi.fn(() => 0);
    const turn = new AbortController();
    const timers = { now: nowMs, after: () => () => undefined };
    const store = { begin: () => Promise.resolve(begun), sends: vi.fn(), end: vi.fn() };
    store.end.mockResolvedValue(undefined);
    const run = ({ beforeSend }: RunningCycle) => {
      beforeSend();
      sent.push('in time');
      nowMs.mockReturnValue(0.9 * lockMs);
      beforeSend();
      sent.push('late');
      return Promise.resolve();
    };

    const isComplete = await takeTurn(
      { account: 'production', dueMs, extendLock: () => Promise.resolve(true) },
      turn,
      { store, member: 'this', lockMs, timers, onTakenOver: vi.fn(), run },
    );

    expect(isComplete).toBe(false);
    expect(sent).toEqual(['in time']);
  });

  it('that failed aborts what it had begun, and gives the error', async () => {
    let cycle: RunningCycle | null = null;
    const { calls, result } = takeTurnOf({
      run: (each) => {
        cycle = each;
        return Promise.reject(new Error('a mistake of this program'));
      },
    });

    await expect(result).rejects.toThrow('a mistake');

    expect(calls.at(-1)).toBe('end incomplete');
    expect(() => cycle?.beforeSend()).toThrow();
  });
});
