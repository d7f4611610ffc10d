/** Fifty accounts with a key and a role each: none signs with the credentials of another, or waits for them. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FaultRuleInput, ReceivedRequest } from '../../src/emulator/emulator.ts';
import { seriesOf } from '../support/exposition.ts';
import { memberUin, numbers, regionOf, watchFiftyAccounts } from './fifty-accounts.ts';

const hourMs = 3_600_000;

test('no request is signed with the credentials of another account', async () => {
  const api = { timeout: '10s' };
  const { monitor, env } = await watchFiftyAccounts(api);

  await monitor.cycle();
  // All sessions end at once, for the daemon, and only for the service.
  await monitor.cycle(3 * hourMs);
  monitor.emulator.advance('3h');
  await monitor.cycle();
  // Half of the keys are replaced, and a reload comes in the middle of a cycle.
  for (const i of numbers.filter((each) => each % 2 === 0)) {
    env[`ID_${i}`] = `rotated-id-${i}`;
    env[`KEY_${i}`] = `rotated-key-${i}`;
  }
  api.timeout = '9s';
  const cycle = monitor.cycle(3 * hourMs);
  await monitor.daemon.reload();
  await cycle;

  const requests = monitor.emulator.requests.list();
  /** Whether a request is signed with a key of the account that it is about. */
  const isOwn = ({ operation, account, region, parameters }: ReceivedRequest) => {
    const i =
      operation === 'AssumeRole'
        ? numbers.find((each) => JSON.stringify(parameters?.RoleArn).includes(memberUin(each)))
        : numbers.find((each) => regionOf(each) === region);
    return account === (operation === 'AssumeRole' ? `owner-${i}` : `member-${i}`);
  };
  expect(requests.filter((request) => !isOwn(request))).toEqual([]);
  expect(new Set(requests.map(({ account }) => account)).size).toBe(100);
  expect(requests.some(({ secret_id: secretId }) => secretId === 'rotated-id-0')).toBe(true);
  const limits = seriesOf(await monitor.metrics(), 'cvm_quota_limit');
  for (const i of numbers) {
    const [, limit] = Object.entries(limits).find(([key]) =>
      key.includes(`account="account-${i}"`),
    )!;
    expect(limit).toBe(i + 1);
  }
});

test.each<[string, FaultRuleInput]>([
  ['fail', { effect: 'error', code: 'UnauthorizedOperation' }],
  ['hang', { effect: 'hang' }],
  ['are throttled', { effect: 'error', code: 'RequestLimitExceeded' }],
  [
    'are throttled for every operation',
    { effect: 'error', code: 'RequestLimitExceeded.UinLimitExceeded' },
  ],
])('an account whose credentials %s delays no other', async (_how, fault) => {
  const { monitor } = await watchFiftyAccounts();
  const { clock, emulator, timer } = monitor;
  /** How often the accounts but the first one were polled. */
  const othersPolls = async () => {
    const polls = seriesOf(await monitor.metrics(), 'cvm_monitor_polls_total');
    return Object.entries(polls)
      .filter(([key]) => !key.includes('account="account-0"'))
      .reduce((sum, [, count]) => sum + count, 0);
  };
  /** How long it takes until every account but the first one asks, in a cycle that fetches all credentials. */
  const othersMs = async () => {
    const others = numbers.length - 1;
    const before = await othersPolls();
    emulator.requests.clear();
    clock.advance(3 * hourMs);
    const startedMs = performance.now();
    timer.due();
    const isAsked = ({ operation, account }: ReceivedRequest) =>
      operation === 'DescribeAccountQuota' && account !== 'member-0';
    while (emulator.requests.list().filter(isAsked).length < others) await delay(5);
    const tookMs = performance.now() - startedMs;
    await monitor.until(async () => (await othersPolls()) === before + others);
    return tookMs;
  };
  // Far longer than the work of this machine, whose noise it hides.
  emulator.faults.add({ effect: 'latency', latency: '3000ms', operation: 'AssumeRole' });
  const healthyMs = Math.min(await othersMs(), await othersMs());

  emulator.faults.add({ ...fault, operation: 'AssumeRole', account: 'owner-0' });
  let sickMs = Infinity;
  // What delays the others does so in every cycle. Other work of this machine does not.
  for (let cycle = 0; cycle < 6 && sickMs / healthyMs >= 1.1; cycle += 1) {
    sickMs = Math.min(sickMs, await othersMs());
  }

  expect(emulator.faults.list().at(-1)!.struck).toBeGreaterThan(0);
  expect(sickMs / healthyMs).toBeLessThan(1.1);
});
