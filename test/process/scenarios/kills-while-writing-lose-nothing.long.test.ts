/** The daemon is killed at random moments while changes are found: at the end, each is counted exactly once. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { configOf, startDaemon } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const raised = { quota_type: 'image', direction: 'raised' };
const counter = 'cvm_quota_limit_changes_total';
const regions = Array.from({ length: 8 }, (_, n) => `ap-region-${n}`);

test('After 12 kills, the counters are those of the service, and no scrape ever saw more', async () => {
  const service = await startService();
  for (const name of regions) service.region(name);
  const daemon = await startDaemon({ config: configOf(service, { regions }) });
  const seen = new Map<string, number>();
  const look = async () => {
    const samples = await daemon.metrics();
    for (const { labels, value } of samples.matching(counter, raised)) {
      const region = labels.region!;
      expect([region, value]).toEqual([region, Math.max(value, seen.get(region) ?? 0)]);
      seen.set(region, value);
    }
  };

  let limit = 10;
  for (let kill = 0; kill < 12; kill += 1) {
    limit += 1;
    for (const name of regions) service.region(name).setLimit('image', null, limit);
    await delay(kill * 90);
    await look();
    await daemon.stop('SIGKILL');
    daemon.spawn();
    // All regions are polled before their limits are raised again: each raise is a change of its own.
    await daemon.metricsWhen((each) =>
      regions.every(
        (region) => each.value('cvm_quota_limit', { region, quota_type: 'image' }) === limit,
      ),
    );
    await look();
  }

  const samples = await daemon.metricsWhen((each) => each.sum(counter, raised) === 12 * 8);
  const { changes } = service;
  for (const region of regions) {
    const made = changes.filter((each) => each.region === region).length;
    expect(samples.value(counter, { ...raised, region })).toBe(made);
  }
});
