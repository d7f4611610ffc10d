import type { Lease } from './lease.ts';
import type { Timers } from './timers.ts';

export interface Renewal {
  readonly lease: Lease;
  readonly lockMs: number;
  readonly timers: Timers;
  /** Renews the lock in Redis. Resolves with whether this daemon still has it; rejects when nothing is known. */
  readonly extendLock: () => Promise<boolean>;
}

/**
 * Renews a lock three times in its duration, and aborts the turn when the lock is lost or could have expired.
 * `first` resolves when Redis has answered once.
 */
export function renew(turn: AbortController, { extendLock, lease, lockMs, timers }: Renewal) {
  let cancelEnd = (): void => undefined;
  let cancelNext = (): void => undefined;
  let isStopped = false;
  const once = async () => {
    const askedAtMs = timers.now();
    // While Redis does not answer, the lease runs out.
    const isExtended = await extendLock().catch(() => null);
    if (isStopped) return;
    if (isExtended === false) turn.abort();
    if (isExtended !== true) return;
    lease.confirmed(askedAtMs);
    cancelEnd();
    cancelEnd = timers.after(lease.endMs - timers.now(), () => {
      turn.abort();
    });
  };
  const goOn = () => {
    cancelNext = timers.after(lockMs / 3, () => {
      void once();
      goOn();
    });
  };
  const first = once().then(() => {
    if (!lease.isHeld(timers.now())) turn.abort();
  });
  goOn();
  return {
    first,
    stop: () => {
      isStopped = true;
      cancelEnd();
      cancelNext();
    },
  };
}
