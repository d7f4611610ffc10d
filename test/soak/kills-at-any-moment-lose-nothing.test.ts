/** A process can be killed at any moment: each change of the service is counted once, and none is invented. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { configOf, startDaemon } from '../support/program.ts';
import { startService } from '../support/service.ts';

const id = 'lt-b8v1kcyq';

test(
  'Thirty kills at thirty moments lose no change and count none twice',
  { timeout: 600_000 },
  async () => {
    const service = await startService();
    const region = service.region('ap-guangzhou');
    region.createTemplate(id, { versions: [1, 2, 3], default: 1 });
    const daemon = await startDaemon({
      config: configOf(service, {
        account: { quota_types: ['postpaid'] },
        regions: [{ name: 'ap-guangzhou', launch_templates: [id] }],
      }),
    });
    await daemon.cycle();
    let limit = 200;

    for (let kill = 1; kill <= 30; kill += 1) {
      limit += kill % 3 === 0 ? -50 : 100;
      region.setLimit('postpaid', 'ap-guangzhou-3', limit);
      region.setDefault(id, 1 + (kill % 3));
      await delay(kill * 37);
      await daemon.stop('SIGKILL');
      daemon.spawn();
      await daemon.ready();
      await daemon.cycle();
    }

    const samples = await daemon.metrics();
    const name = 'cvm_quota_limit_changes_total';
    expect(samples.value(name, { direction: 'raised' })).toBe(20);
    expect(samples.value(name, { direction: 'lowered' })).toBe(10);
    expect(samples.value('cvm_launch_template_default_version_changes_total')).toBe(30);
    const feed = await daemon.feed();
    // The feed keeps the latest changes of a target, the counters keep all.
    expect(feed.filter((line) => line.includes('quota-limit')).length).toBeGreaterThanOrEqual(20);
  },
);
