import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Samples } from '../support/exposition.ts';
import { startWatched } from '../support/program.ts';

const cycles = (samples: Samples) => samples.sum('cvm_monitor_cycles_total');
const skips = (samples: Samples) => samples.sum('cvm_monitor_cycles_skipped_total');
const missed = (samples: Samples) =>
  samples.sum('cvm_monitor_cycles_skipped_total', { reason: 'missed' });
const due = (samples: Samples) =>
  samples.value('cvm_monitor_next_cycle_timestamp_seconds')! - cycles(samples) - skips(samples);

test('cycles neither stack nor stop when the process is suspended for longer than a period', async () => {
  const { emulator, daemon } = await startWatched();
  const before = await daemon.metricsWhen((samples) => cycles(samples) >= 2);

  daemon.signal('SIGSTOP');
  await delay(200);
  const requests = emulator.requests.total;
  await delay(4_000);
  expect(emulator.requests.total).toBe(requests);
  daemon.signal('SIGCONT');
  const resumed = await daemon.metricsWhen((samples) => missed(samples) > 0);
  const after = await daemon.metricsWhen((samples) => cycles(samples) >= cycles(resumed) + 3);

  expect(missed(after)).toBeGreaterThanOrEqual(2);
  // Every run was a cycle or was skipped; of the last one it may not be known yet.
  expect(Math.abs(due(after) - due(before))).toBeLessThanOrEqual(1);
  expect(emulator.requests.total).toBeLessThanOrEqual(cycles(after) + 1);
  await daemon.logged(
    'cycles missed: the process was suspended, the clock was set forward, or no daemon of the cluster could run them',
  );
});
