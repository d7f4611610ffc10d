import { describe, expect, it } from 'vitest';
import { handOverMs, Lease } from '../../../src/cluster/lease.ts';

const lockMs = 10_000;

describe('a lease', () => {
  it('is not held before the lock was confirmed', () => {
    expect(new Lease(lockMs).isHeld(0)).toBe(false);
  });

  it('is held for nine tenths of the lock from the time when it was asked for', () => {
    const lease = new Lease(lockMs);

    lease.confirmed(1_000);

    expect(lease.endMs).toBe(10_000);
    expect(lease.isHeld(9_999)).toBe(true);
    expect(lease.isHeld(10_000)).toBe(false);
  });

  it('ends later with each confirmation, and not earlier after one that comes late', () => {
    const lease = new Lease(lockMs);
    lease.confirmed(5_000);

    lease.confirmed(2_000);

    expect(lease.endMs).toBe(14_000);
  });
});

describe('the wait of the next daemon', () => {
  it.each([
    ['is none for the same daemon', { isSameDaemon: true, idleMs: 0 }, 0],
    ['is whole when the former one did not end', { isSameDaemon: false, idleMs: 0 }, 1_325],
    ['is shorter by the time since the end', { isSameDaemon: false, idleMs: 1_000 }, 325],
    ['is none long after the end', { isSameDaemon: false, idleMs: 60_000 }, 0],
  ])('%s', (_, former, waitMs) => {
    expect(handOverMs(former)).toBe(waitMs);
  });

  it.each([
    [0.95, 1.05],
    [1, 1],
    [1.05, 0.95],
  ])(
    'separates the last request from the next by a second, with clocks at %d and %d times the speed',
    (formerRate, nextRate) => {
      // By the clock of Redis, which confirms the lock as soon as it is asked.
      const lease = new Lease(lockMs);
      lease.confirmed(0);
      const lastSentMs = lease.endMs / formerRate;
      const slowestWayMs = 250;

      const nextSentMs = lockMs + handOverMs({ isSameDaemon: false, idleMs: 0 }) / nextRate;

      expect(nextSentMs - (lastSentMs + slowestWayMs)).toBeGreaterThan(1_000);
    },
  );
});
