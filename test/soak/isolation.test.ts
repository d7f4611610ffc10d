/** Fifty accounts with a key and a role each: none signs with the credentials of another, or waits for them. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type {
  FaultRuleInput,
  ReceivedRequest,
  ScenarioInput,
} from '../../src/emulator/emulator.ts';
import { seriesOf } from '../support/exposition.ts';
import { type Monitor, startMonitor } from '../support/monitor.ts';
import { trust } from '../support/trust.ts';

const hourMs = 3_600_000;
const numbers = Array.from({ length: 50 }, (_, i) => i);
const ownerUin = (i: number) => String(100_000_000_000 + i);
const memberUin = (i: number) => String(200_000_000_000 + i);
/** A region that only one account has: `ap-a…` in letters. */
const regionOf = (i: number) =>
  `ap-${String.fromCharCode(97 + Math.floor(i / 10))}${String.fromCharCode(97 + (i % 10))}`;

/** The owner has the key; its role is in the account that is watched. */
const scenario: ScenarioInput = {
  accounts: numbers.flatMap((i) => [
    {
      name: `owner-${i}`,
      uin: ownerUin(i),
      keys: [
        { secret_id: `id-${i}`, secret_key: `key-${i}` },
        { secret_id: `rotated-id-${i}`, secret_key: `rotated-key-${i}` },
      ],
    },
    {
      name: `member-${i}`,
      uin: memberUin(i),
      roles: [{ name: 'monitor', trust: trust({ qcs: `qcs::cam::uin/${ownerUin(i)}:root` }) }],
      regions: [{ name: regionOf(i), image: { limit: i + 1 } }],
    },
  ]),
};

async function start() {
  const env = Object.fromEntries(
    numbers.flatMap((i) => [
      [`ID_${i}`, `id-${i}`],
      [`KEY_${i}`, `key-${i}`],
    ]),
  );
  const settings = { timeout: '10s' };
  const monitor = await startMonitor({
    scenario,
    env,
    config: ({ endpoint }) => ({
      api: { endpoint, sts_endpoint: endpoint, timeout: settings.timeout },
      accounts: numbers.map((i) => ({
        name: `account-${i}`,
        credentials: {
          type: 'assume_role' as const,
          role_arn: `qcs::cam::uin/${memberUin(i)}:roleName/monitor`,
          source: {
            type: 'environment' as const,
            secret_id_env: `ID_${i}`,
            secret_key_env: `KEY_${i}`,
          },
        },
        quota_types: ['image'],
        regions: [regionOf(i)],
      })),
    }),
  });
  return { monitor, env, settings };
}

/** Whether a request is signed with a key of the account that it is about. */
function isOwn({ operation, account, region, parameters }: ReceivedRequest): boolean {
  const i =
    operation === 'AssumeRole'
      ? numbers.find((each) => JSON.stringify(parameters?.RoleArn).includes(memberUin(each)))
      : numbers.find((each) => regionOf(each) === region);
  return account === (operation === 'AssumeRole' ? `owner-${i}` : `member-${i}`);
}

test('no request is signed with the credentials of another account', async () => {
  const { monitor, env, settings } = await start();

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
  settings.timeout = '9s';
  const cycle = monitor.cycle(3 * hourMs);
  await monitor.daemon.reload();
  await cycle;

  const requests = monitor.emulator.requests.list();
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

/** How often the accounts but the first one were polled. */
async function othersPolls(monitor: Monitor): Promise<number> {
  const polls = seriesOf(await monitor.metrics(), 'cvm_monitor_polls_total');
  return Object.entries(polls)
    .filter(([key]) => !key.includes('account="account-0"'))
    .reduce((sum, [, count]) => sum + count, 0);
}

/** How long it takes until every account but the first one asks, in a cycle that fetches all credentials. */
async function othersMs(monitor: Monitor): Promise<number> {
  const { clock, emulator, schedule } = monitor;
  const others = numbers.length - 1;
  const before = await othersPolls(monitor);
  emulator.requests.clear();
  clock.advance(3 * hourMs);
  const startedMs = performance.now();
  schedule.due();
  const asked = () =>
    emulator.requests
      .list()
      .filter(
        ({ operation, account }) => operation === 'DescribeAccountQuota' && account !== 'member-0',
      );
  while (asked().length < others) await delay(5);
  const tookMs = performance.now() - startedMs;
  await monitor.until(async () => (await othersPolls(monitor)) === before + others);
  return tookMs;
}

const sick: readonly (readonly [string, FaultRuleInput])[] = [
  ['fail', { effect: 'error', code: 'UnauthorizedOperation' }],
  ['hang', { effect: 'hang' }],
  ['are throttled', { effect: 'error', code: 'RequestLimitExceeded' }],
  [
    'are throttled for every operation',
    { effect: 'error', code: 'RequestLimitExceeded.UinLimitExceeded' },
  ],
];

test.each(sick)('an account whose credentials %s delays no other', async (_how, fault) => {
  const { monitor } = await start();
  // Far longer than the work of this machine, whose noise it hides.
  monitor.emulator.faults.add({ effect: 'latency', latency: '3000ms', operation: 'AssumeRole' });
  const healthyMs = Math.min(await othersMs(monitor), await othersMs(monitor));

  monitor.emulator.faults.add({ ...fault, operation: 'AssumeRole', account: 'owner-0' });
  let sickMs = Infinity;
  // What delays the others does so in every cycle. Other work of this machine does not.
  for (let cycle = 0; cycle < 6 && sickMs / healthyMs >= 1.1; cycle += 1) {
    sickMs = Math.min(sickMs, await othersMs(monitor));
  }

  expect(monitor.emulator.faults.list().at(-1)!.struck).toBeGreaterThan(0);
  expect(sickMs / healthyMs).toBeLessThan(1.1);
});
