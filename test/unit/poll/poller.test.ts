/** What the poller does when a reload changes targets, in a cluster. */
import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import { targetKey, type Target } from '../../../src/model/target.ts';
import { Poller } from '../../../src/poll/poller.ts';
import type { PollPlan } from '../../../src/poll/poller-contracts.ts';
import { silentLogger } from '../../support/loggers.ts';
import { quotaRecord } from '../../support/records.ts';

const record = quotaRecord('ap-x');
const { account } = record.target;
const wider: Target = {
  ...record.target,
  selection: { quotaTypes: ['image'], zones: null },
} as Target;

const planOf = (target: Target): PollPlan => ({
  accounts: [account],
  targetsOf: () => [target],
  get: (key) => (key === targetKey(target) ? target : undefined),
});

/**
 * A poller of one target, which was polled before. The first poll ends only when it is aborted.
 *
 * @param isStored whether its answer was being stored then, so that it updates the record all the same
 */
function startPoller(isStored = false) {
  const published = new PublishedRecords();
  published.publish(record);
  const plan = { current: planOf(record.target), follow: () => false };
  const polled: Target[] = [];
  const publish = () => {
    published.setTargets(plan.current.targetsOf(account), (target) => collectors.of(target));
  };
  publish();
  const poller = new Poller({
    collectors,
    plan,
    published,
    pollTarget: async (target, { signal }) => {
      polled.push(target);
      if (polled.length > 1) return { before: record, record, changes: [] };
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      return isStored ? { before: record, record, changes: [] } : null;
    },
    update: () => Promise.resolve(null),
    timer: {
      start: () => undefined,
      stop: () => undefined,
      configure: () => false,
      nextRunMs: () => null,
    },
    settings: () => ({ jitterMs: 0, minDeadlineMs: 1_000, staleAfterMs: Infinity }),
    isShared: true,
    clock: { now: () => 0 },
    random: () => 0,
    logger: silentLogger,
  });
  const reload = (target: Target) => {
    const before = plan.current;
    plan.current = planOf(target);
    publish();
    poller.reloaded(before);
  };
  const nothing = () => undefined;
  const { signal } = new AbortController();
  const lease = { signal, beforeSend: nothing, onOverlap: nothing };
  const runCycle = (onlyNew: boolean) => poller.runCycle(account, lease, { missed: 0, onlyNew });
  return { polled, poller, reload, runCycle };
}

test.each([
  ['its poll hangs', false],
  ['its answer is stored', true],
])(
  'a target that a reload changes while %s is polled again in the same cycle',
  async (_when, isStored) => {
    const { polled, reload, runCycle } = startPoller(isStored);
    const cycle = runCycle(false);
    await expect.poll(() => polled).toEqual([record.target]);

    reload(wider);
    await cycle;

    expect(polled).toEqual([record.target, wider]);
  },
);

test('a target that a reload changes between two cycles is new, until a cycle has polled it', async () => {
  const { polled, poller, reload, runCycle } = startPoller();
  polled.push(record.target);
  expect(poller.hasNew(account)).toBe(false);

  reload(wider);
  expect(poller.hasNew(account)).toBe(true);
  await runCycle(true);
  await runCycle(true);

  expect(polled).toEqual([record.target, wider]);
  expect(poller.hasNew(account)).toBe(false);
});
