/** The turn of one daemon at the cycle of an account: from the lock of its job to its end. */
import type { AccountTurn } from '../poll/poller.ts';
import type { BegunCycle } from './account-scripts.ts';
import { handOverMs, Lease } from './lease.ts';
import { renew } from './renewal.ts';
import { pause, type Timers } from './timers.ts';

/** A cycle that this daemon began. */
export interface OwnCycle extends BegunCycle {
  /**
   * Whether no other daemon began one since the last in which this daemon sent requests. A begin of this daemon
   * whose answer was lost may have come after another daemon, so the name of the former daemon does not show it.
   */
  readonly isNext: boolean;
}

/** Where the cycles of accounts begin and end. */
export interface CycleStore {
  begin(account: string, member: string, dueMs: number): Promise<OwnCycle | null>;
  sends(account: string): void;
  end(account: string, isComplete: boolean): Promise<void>;
}

export interface RunningCycle extends AccountTurn {
  readonly account: string;
  /** `null` for a cycle that polls only targets without a poll. */
  readonly dueMs: number | null;
  readonly begun: BegunCycle;
}

export interface TurnOptions {
  readonly store: CycleStore;
  /** Of this daemon. */
  readonly member: string;
  readonly lockMs: number;
  readonly timers: Timers;
  /** Called when another daemon had not ended its cycle. */
  readonly onTakenOver: (account: string, from: string) => void;
  /** Polls the account. Ends early when the turn ends. */
  readonly run: (cycle: RunningCycle) => Promise<void>;
}

/** A job that this daemon took. */
export interface TakenJob {
  readonly account: string;
  readonly dueMs: number | null;
  readonly extendLock: () => Promise<boolean>;
}

/**
 * Runs the cycle of a job.
 *
 * @param turn aborts when the permission to poll ends
 * @returns whether the cycle is complete, or was before. If not, the job must go to another daemon
 * @throws the error of the cycle, unless the turn has ended
 */
export async function takeTurn(
  job: TakenJob,
  turn: AbortController,
  options: TurnOptions,
): Promise<boolean> {
  const { lockMs, store, timers } = options;
  const { account, extendLock } = job;
  const lease = new Lease(lockMs);
  const renewal = renew(turn, { lease, lockMs, timers, extendLock });
  try {
    await renewal.first;
    if (!turn.signal.aborted && (await runCycle(job, lease, turn, options))) return true;
  } catch (error) {
    if (!turn.signal.aborted) {
      // Other polls of the account may be in flight. They must not send once another daemon has begun.
      turn.abort();
      throw error;
    }
  } finally {
    renewal.stop();
    await store.end(account, false).catch(() => undefined);
  }
  return false;
}

async function runCycle(
  { account, dueMs }: TakenJob,
  lease: Lease,
  turn: AbortController,
  { member, onTakenOver, run, store, timers }: TurnOptions,
): Promise<boolean> {
  const { signal } = turn;
  const hasEnded = () => signal.aborted;
  const begun = await store.begin(account, member, dueMs ?? 0);
  if (begun === null) return true;
  const { formerMember, idleMs, isNext, isTakenOver } = begun;
  if (isTakenOver && formerMember !== member) onTakenOver(account, formerMember);
  const waitMs = handOverMs({ isSameDaemon: isNext, idleMs });
  if (waitMs > 0) await pause(timers, waitMs, signal);
  if (hasEnded()) return false;
  store.sends(account);
  const beforeSend = () => {
    if (!lease.isHeld(timers.now())) turn.abort();
    signal.throwIfAborted();
  };
  await run({ account, dueMs, begun, signal, beforeSend });
  if (hasEnded()) return false;
  await store.end(account, dueMs !== null);
  return true;
}
