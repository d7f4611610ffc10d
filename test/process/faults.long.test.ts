/** Every fault of the service stays where it happened, is visible by its code, and leaves no trace. */
import { describe, expect, test } from 'vitest';
import { linesByTarget } from '../support/target-lines.ts';
import { answers } from './faults/answers.ts';
import { connections } from './faults/connections.ts';
import { credentials } from './faults/credentials.ts';
import type { Fault } from './faults/fault.ts';
import { serviceErrors } from './faults/service-errors.ts';
import { startWorld, victim, type World } from './faults/world.ts';

/** How many requests about the victim reached the service since the last call. */
function countRequests({ monitor }: World): () => number {
  const count = () =>
    monitor.emulator.requests
      .list()
      .filter(
        ({ account, region, operation }) =>
          account === 'production' &&
          region === 'ap-guangzhou' &&
          operation === 'DescribeAccountQuota',
      ).length;
  let before = count();
  return () => {
    const since = count() - before;
    before += since;
    return since;
  };
}

async function look({ monitor }: World) {
  const text = await monitor.text();
  await monitor.metrics();
  return linesByTarget(text);
}

async function isServing({ monitor }: World): Promise<boolean> {
  const answers = await Promise.all([monitor.get('/-/healthy'), monitor.get('/-/ready')]);
  return answers.every(({ ok }) => ok);
}

function expectedFaults({ code, anomalies = {} }: Fault): string[] {
  const labels = Object.entries(anomalies).map(([kind, count]) => `kind="${kind}"} ${count}`);
  return code === null ? labels : [`code="${code}"} 1`];
}

/** What of an answer was left out is missing, which its target says. */
function expectedState(state: readonly string[], { anomalies, isGone }: Fault): string[] {
  return state
    .filter((line) => isGone?.(line) !== true)
    .map((line) =>
      anomalies !== undefined && line.startsWith('cvm_monitor_target_incomplete{')
        ? line.replace(/ 0$/, ' 1')
        : line,
    );
}

async function proveContained(fault: Fault): Promise<void> {
  const { targets = [victim], code, requests } = fault;
  const world = await startWorld({ behindGateway: false, ...fault.world });
  const { monitor } = world;
  const requestsSince = countRequests(world);
  const before = await look(world);

  await fault.begin(world);
  await monitor.cycle();

  const during = await look(world);
  expect([...during.keys()].sort()).toEqual([...before.keys()].sort());
  for (const [target, { state, polls }] of before) {
    const isHit = targets.includes(target);
    expect({ target, ...during.get(target) }).toEqual({
      target,
      state: isHit ? expectedState(state, fault) : state,
      faults: isHit ? expectedFaults(fault) : [],
      up: isHit && code !== null ? 0 : 1,
      polls: polls + 1,
    });
  }
  if (requests !== undefined) expect(requestsSince()).toBe(requests);
  expect(await isServing(world)).toBe(true);

  await fault.end(world);
  await monitor.cycle();

  const after = await look(world);
  for (const [target, { state, polls }] of before) {
    const { faults } = during.get(target)!;
    expect({ target, ...after.get(target) }).toEqual({
      target,
      state,
      faults,
      up: 1,
      polls: polls + 2,
    });
  }
  expect(await isServing(world)).toBe(true);
}

describe.each([
  ['the service refuses', serviceErrors],
  ['the answer is wrong', answers],
  ['the connection fails', connections],
  ['the credentials are refused', credentials],
])('%s', (_name, faults) => {
  test.each(faults.map((fault) => [fault.name, fault] as const))('%s', (_fault, fault) =>
    proveContained(fault),
  );
});

describe('memory stays flat', () => {
  const megabyte = 1024 * 1024;

  /** The most that buffers take while something runs, beyond what they took before. */
  async function peakGrowth(run: () => Promise<void>): Promise<number> {
    const { arrayBuffers: before } = process.memoryUsage();
    let peak = before;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().arrayBuffers);
    }, 1);
    await run();
    clearInterval(timer);
    return peak - before;
  }

  test.each([
    ['a body of 400 MB', { effect: 'huge-body', size_bytes: 400_000_000 }],
    ['a body of 1 GB in 1 MB of gzip', { effect: 'gzip-bomb' }],
  ] as const)('while the service sends %s', async (_name, effect) => {
    const { monitor } = await startWorld({ behindGateway: false });
    monitor.emulator.faults.add({ ...effect, account: 'production', region: 'ap-shanghai' });

    const growth = await peakGrowth(() => monitor.cycle());

    const failed =
      '{account="production",code="InvalidResponse",operation="DescribeAccountQuota",region="ap-shanghai"}';
    const { series } = await monitor.metrics();
    expect(series.get(`cvm_monitor_poll_failures_total${failed}`)).toBe(1);
    expect(growth).toBeLessThan(100 * megabyte);
  });
});
