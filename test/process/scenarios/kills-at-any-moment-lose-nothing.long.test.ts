/** A process can be killed at any moment: each change of the service is counted once, and none is invented. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const id = 'lt-b8v1kcyq';
const kills = 30;
/** Each kill costs the 9 s after which the lock of a dead process is free. So several daemons are killed in turn. */
const sideBySide = 10;

test(
  'Thirty kills at thirty moments lose no change and count none twice',
  { timeout: 300_000 },
  async () => {
    await Promise.all(Array.from({ length: sideBySide }, (_, n) => killFrom(n + 1)));
  },
);

/** Kills one daemon at every tenth of the moments, from that of a number on. */
async function killFrom(first: number): Promise<void> {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  region.createTemplate(id, { versions: [1, 2, 3], default: 1 });
  const daemon = await watchService(service, {
    account: { quota_types: ['postpaid'] },
    regions: [{ name: 'ap-guangzhou', launch_templates: [id] }],
  });
  await daemon.cycle();
  let [limit, version] = [200, 1];
  const made = { raised: 0, lowered: 0, defaults: 0 };

  for (let kill = first; kill <= kills; kill += sideBySide) {
    const direction = (kill - first) % (2 * sideBySide) === 0 ? 'raised' : 'lowered';
    limit += direction === 'lowered' ? -50 : 100;
    region.setLimit('postpaid', 'ap-guangzhou-3', limit);
    version = 1 + (version % 3);
    region.setDefault(id, version);
    made[direction] += 1;
    made.defaults += 1;
    await delay(kill * 37);
    await daemon.stop('SIGKILL');
    daemon.spawn();
    await daemon.ready();
    await daemon.cycle();
  }

  const samples = await daemon.metrics();
  const name = 'cvm_quota_limit_changes_total';
  expect(samples.value(name, { direction: 'raised' })).toBe(made.raised);
  expect(samples.value(name, { direction: 'lowered' })).toBe(made.lowered);
  expect(samples.value('cvm_launch_template_default_version_changes_total')).toBe(made.defaults);
  const feed = await daemon.feed();
  expect(feed.filter((line) => line.includes('quota-limit'))).toHaveLength(
    made.raised + made.lowered,
  );
}
