/** What happens when temporary credentials end. */
import { describe, expect, test } from 'vitest';
import type { OperationName } from '../../../src/emulator/emulator.ts';
import { seriesOf } from '../../support/exposition-text.ts';
import { startGateway } from '../../support/gateway.ts';
import { hourMs, keys, member, pod, regions, requestsOf, start, type Given } from './world.ts';

const temporary: readonly (readonly [string, Given, OperationName])[] = [
  ['cvm_role', { credentials: { type: 'cvm_role' } }, 'Metadata'],
  ['tke_oidc', { credentials: { type: 'tke_oidc' }, ...pod }, 'AssumeRoleWithWebIdentity'],
  ['assume_role', { credentials: member(), ...keys }, 'AssumeRole'],
];

describe.each(temporary)('credentials of %s', (_type, given, operation) => {
  test('that end in the middle of a cycle cost no poll, and are fetched once', async () => {
    const state = { pollsUntilEnd: Infinity };
    const monitor = await start({
      ...given,
      watched: regions,
      serviceUrl: async (emulator) => {
        const gateway = await startGateway(emulator);
        gateway.replacementFor = ({ query }) => {
          if (query.Action !== 'DescribeAccountQuota') return null;
          state.pollsUntilEnd -= 1;
          // Only for the service: the daemon finds out by a refusal.
          if (state.pollsUntilEnd === 0) emulator.advance('2h');
          return null;
        };
        return gateway.url;
      },
    });
    const fetches = requestsOf(monitor, operation).length;

    state.pollsUntilEnd = 5;
    await monitor.cycle();

    const up = seriesOf(await monitor.metrics(), 'cvm_monitor_target_up');
    expect(Object.values(up)).toEqual(Array(20).fill(1));
    const codes = requestsOf(monitor, 'DescribeAccountQuota').map(({ code }) => code);
    expect(codes).toContain('AuthFailure.TokenFailure');
    expect(requestsOf(monitor, operation).length).toBeLessThanOrEqual(fetches * 2);
  });

  test('that have ended are replaced before the next cycle asks', async () => {
    const monitor = await start(given);

    await monitor.cycle(3 * hourMs);

    const codes = requestsOf(monitor, 'DescribeAccountQuota').map(({ code }) => code);
    expect(codes).toEqual([null, null]);
  });

  test('are used until they end while no others can be fetched', async () => {
    const monitor = await start(given);
    monitor.emulator.faults.add({
      effect: 'http-status',
      status: 503,
      operation,
    });

    await monitor.cycle(2 * hourMs - 60_000);
    const before = await monitor.metrics();
    await monitor.cycle(60_000);
    const after = await monitor.metrics();

    expect(Object.values(seriesOf(before, 'cvm_monitor_target_up'))).toEqual([1]);
    expect(Object.values(seriesOf(after, 'cvm_monitor_target_up'))).toEqual([0]);
    const failures = Object.values(seriesOf(after, 'cvm_monitor_credentials_failures_total'));
    expect(Math.max(...failures)).toBeGreaterThan(0);
    const codes = seriesOf(after, 'cvm_monitor_poll_failures_total');
    expect(Object.keys(codes).join()).toContain('code="Credentials"');
  });
});

test('credentials of a role and its source that end while the clock falls behind cost no poll', async () => {
  const monitor = await start({ credentials: member({ type: 'tke_oidc' }), ...pod });

  monitor.skew.ms = 3 * hourMs;
  await monitor.cycle();

  const metrics = await monitor.metrics();
  expect(Object.values(seriesOf(metrics, 'cvm_monitor_target_up'))).toEqual([1]);
  expect(Object.values(seriesOf(metrics, 'cvm_monitor_credentials_failures_total'))).toEqual([
    0, 0,
  ]);
});
