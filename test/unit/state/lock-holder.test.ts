import { hostname } from 'node:os';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  describeThisProcess,
  livenessOf,
  parseHolder,
  type LockHolder,
} from '../../../src/state/lock-holder.ts';

const self: LockHolder = {
  id: 'self',
  pid: 7,
  host: 'here',
  startedAt: '2025-11-20T12:00:00.000Z',
  processStart: '100',
  bootId: 'boot',
  pidNamespace: 'pid:[1]',
};
/** A machine without /proc. */
const plain: LockHolder = { ...self, processStart: null, bootId: null, pidNamespace: null };

describe('this process as a holder', () => {
  it('is described again for each lock', async () => {
    const holder = await describeThisProcess(0);

    expect(holder).toMatchObject({
      pid: process.pid,
      host: hostname(),
      startedAt: '1970-01-01T00:00:00.000Z',
    });
    expect((await describeThisProcess(0)).id).not.toBe(holder.id);
  });

  it.runIf(existsSync('/proc/self/ns/pid'))('is identified by the kernel', async () => {
    expect(await describeThisProcess(0)).toMatchObject({
      processStart: expect.stringMatching(/^\d+$/),
      bootId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      pidNamespace: expect.stringMatching(/^pid:\[\d+\]$/),
    });
  });
});

describe('the text of a lock', () => {
  it('names its holder', () => {
    expect(parseHolder(`${JSON.stringify(self)}\n`)).toEqual(self);
    expect(parseHolder(JSON.stringify(plain))).toEqual(plain);
  });

  it.each([
    '',
    '{',
    'null',
    ...[{ pid: 0 }, { pid: 1.5 }, { id: 1 }, { host: null }, { startedAt: undefined }],
    ...[{ processStart: 1 }, { bootId: undefined }, { pidNamespace: undefined }],
  ])('names none: %j', (text) => {
    const other = typeof text === 'string' ? text : JSON.stringify({ ...self, ...text });

    expect(parseHolder(other)).toBeNull();
  });
});

describe('the holder of a lock', () => {
  const asIf = (isRunning: boolean, processStart: string | null) => (pid: number) =>
    Promise.resolve({ isRunning: isRunning && pid === 7, processStart });
  const running = asIf(true, '100');

  it.each<[string, LockHolder | null, LockHolder]>([
    ['of an unreadable lock', null, self],
    ['of another boot', { ...self, bootId: 'other' }, self],
    ['of another namespace', { ...self, pidNamespace: 'pid:[2]' }, self],
    ['of a machine without /proc', plain, self],
    ['beside a machine with /proc', self, plain],
    ['of another host without /proc', { ...plain, host: 'there' }, plain],
  ])('%s may live or not: its pid says nothing', async (_what, holder, own) => {
    expect(await livenessOf(holder, own, running)).toBe('unknown');
  });

  it.each<[string, LockHolder, LockHolder, Parameters<typeof asIf>, 'alive' | 'dead']>([
    ['runs', self, self, [true, '100'], 'alive'],
    ['runs, on a host of another name', { ...self, host: 'there' }, self, [true, '100'], 'alive'],
    ['does not run', self, self, [false, '100'], 'dead'],
    ['has a pid that a later process has', self, self, [true, '200'], 'dead'],
    ['runs, as far as is known', self, self, [true, null], 'alive'],
    ['runs on this host without /proc', plain, plain, [true, null], 'alive'],
    ['does not run on this host without /proc', plain, plain, [false, null], 'dead'],
    ['did not tell its start', { ...self, processStart: null }, self, [true, '200'], 'alive'],
  ])('that %s', async (_what, holder, own, state, liveness) => {
    expect(await livenessOf(holder, own, asIf(...state))).toBe(liveness);
  });

  it('is looked up among the processes', async () => {
    const present = await describeThisProcess(0);

    expect(await livenessOf(present, present)).toBe('alive');
    expect(await livenessOf({ ...present, processStart: '1' }, present)).toBe(
      present.processStart === null ? 'alive' : 'dead',
    );
    // No system gives out such a high pid.
    expect(await livenessOf({ ...present, pid: 2 ** 31 - 1 }, present)).toBe('dead');
  });

  it('lives, also as the process of another user', async () => {
    const present = await describeThisProcess(0);

    expect(await livenessOf({ ...present, pid: 1, processStart: null }, present)).toBe('alive');
  });
});
