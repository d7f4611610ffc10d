/** The service refuses one region as too frequent, for ever: the others are fresh, and it recovers by itself. */
import { expect, test } from 'vitest';
import { watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const names = ['ap-throttled', 'ap-guangzhou', 'ap-shanghai'];
const down = { region: 'ap-throttled' };

test('Regions beside a throttled one stay up, and it is up again when the service lets it', async () => {
  const service = await startService(...names);
  const fault = service.fault({ region: 'ap-throttled', error: 'RequestLimitExceeded' });
  const daemon = await watchService(service, { api: { max_attempts: 1 }, regions: names });

  const samples = await daemon.cycle();
  for (const region of names.slice(1)) {
    expect(samples.value('cvm_monitor_target_up', { region })).toBe(1);
    expect(samples.matching('cvm_quota_used', { region })).toHaveLength(5);
  }
  expect(samples.value('cvm_monitor_target_up', down)).toBe(0);
  const code = 'RequestLimitExceeded';
  expect(
    samples.value('cvm_monitor_poll_failures_total', { ...down, code }),
  ).toBeGreaterThanOrEqual(1);
  await daemon.logged('target is failing', (line) => line.code === code);

  fault.end();
  const after = await daemon.metricsWhen((each) => each.value('cvm_monitor_target_up', down) === 1);
  expect(after.matching('cvm_quota_used', down)).toHaveLength(5);
  await daemon.logged('target recovered');
});
