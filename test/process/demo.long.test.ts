import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mainFile, startProgram } from '../support/command-line.ts';
import { temporaryDirectory } from '../support/directories.ts';
import { Samples } from '../support/samples.ts';

const changes = 'cvm_launch_template_default_version_changes_total';

async function scrape(url: string): Promise<Samples> {
  return new Samples(await (await fetch(`${url}/metrics`)).text());
}

/** How often the emulated template's default version changed so far, by the emulator's own list. */
async function scenarioChanges(emulatorUrl: string): Promise<number> {
  const response = await fetch(`${emulatorUrl}/_emulator/changes`);
  const { changes: all } = (await response.json()) as { changes: { kind: string }[] };
  return all.filter(({ kind }) => kind === 'default-version-changed').length;
}

test('the demo shows quotas of three regions, and each change of a default version once', async () => {
  const temporary = await temporaryDirectory();
  const args = [mainFile, 'demo', '--web.listen-address=127.0.0.1:0'];
  const command = startProgram(process.execPath, args, { ...process.env, TMPDIR: temporary });
  const [, url = ''] = await command.shows(/Open (\S+)\/ for the status page/);
  const [, emulatorUrl = ''] = await command.shows(/emulated service is at (\S+)\./);
  while (!(await fetch(`${url}/-/ready`)).ok) await delay(50);

  const samples = await scrape(url);
  const zonesOf = (region: string, quota_type: string) =>
    samples.matching('cvm_quota_used', { region, quota_type }).map(({ labels }) => labels.zone);
  for (const region of ['ap-guangzhou', 'ap-shanghai', 'ap-singapore']) {
    for (const quotaType of ['postpaid', 'prepaid', 'spotpaid']) {
      expect(new Set(zonesOf(region, quotaType)).size).toBe(2);
    }
    expect(zonesOf(region, 'image')).toEqual([undefined]);
    expect(zonesOf(region, 'disaster_recover_group')).toEqual([undefined]);
  }

  // Each change of the scenario is seen within a cycle, and counted once.
  let seen = samples.value(changes) ?? 0;
  while (seen < 2) {
    await delay(200);
    const counted = (await scrape(url)).value(changes) ?? 0;
    expect(counted - seen).toBeLessThanOrEqual(1);
    expect(counted).toBeLessThanOrEqual(await scenarioChanges(emulatorUrl));
    seen = counted;
  }

  // In each minute a use grows steadily, so that the page says when the quota will be full.
  let page = '';
  while (!page.includes('>full in ')) {
    await delay(200);
    page = await (await fetch(`${url}/?region=ap-shanghai`)).text();
  }
  expect(page).toMatch(/aria-label="Use in [^":]+: /);

  command.signal('SIGINT');
  expect((await command.result).code).toBe(0);
  expect(readdirSync(temporary)).toEqual([]);
  expect(existsSync('data')).toBe(false);
});
