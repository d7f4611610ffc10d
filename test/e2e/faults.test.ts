/** Every fault of the service stays where it happened, is visible by its code, and leaves no trace. */
import { describe, expect, test } from 'vitest';
import { linesByTarget } from '../helpers/target-lines.ts';
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

async function proveContained(fault: Fault): Promise<void> {
  const { targets = [victim], code, requests, isGone = () => false } = fault;
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
      state: state.filter((line) => !(isHit && isGone(line))),
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
