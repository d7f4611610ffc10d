/** `demo`, which `npm start` runs: within a minute, a default version changes and is counted. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Samples } from '../../support/exposition.ts';
import { start } from '../../support/program.ts';

const changes = 'cvm_launch_template_default_version_changes_total';

test('The demo shows quotas of several regions, and counts a change of a default version', async () => {
  const demo = await start('demo', { flags: ['--web.listen-address=127.0.0.1:0'] });
  const [, url = ''] = await demo.shows(/Open (\S+)\/ for the status page/);
  const scrape = async () => new Samples(await (await fetch(`${url}/metrics`)).text());
  while (!(await fetch(`${url}/-/ready`)).ok) await delay(50);

  const first = await scrape();
  const regions = new Set(first.matching('cvm_quota_used').map(({ labels }) => labels.region));
  expect(regions.size).toBeGreaterThanOrEqual(3);
  expect(first.matching('cvm_monitor_target_up').every(({ value }) => value === 1)).toBe(true);
  const page = await (await fetch(`${url}/`)).text();
  for (const region of regions) expect(page).toContain(region);

  const before = first.sum(changes);
  const beginMs = performance.now();
  while ((await scrape()).sum(changes) === before) {
    expect(performance.now() - beginMs).toBeLessThan(90_000);
    await delay(500);
  }
  demo.signal('SIGINT');
  expect((await demo.result).code).toBe(0);
});
