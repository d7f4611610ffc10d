/** A record that does not parse is moved aside and reported. Only its target begins again. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configOf, startDaemon } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const raised = (region: string) => ({ region, quota_type: 'image', direction: 'raised' });
const counter = 'cvm_quota_limit_changes_total';

/** A daemon of two regions that has counted one change in each, and stopped. */
async function stopped() {
  const service = await startService();
  const regions = ['ap-guangzhou', 'ap-shanghai'];
  for (const name of regions) service.region(name);
  const daemon = await startDaemon({ config: configOf(service, { regions }) });
  for (const name of regions) service.region(name).setLimit('image', null, 11);
  await daemon.metricsWhen((each) => each.sum(counter) === 2);
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  const files = await readdir(daemon.storagePath);
  const file = files.find((name) => name.includes('ap-guangzhou'))!;
  return { service, daemon, file: join(daemon.storagePath, file) };
}

const damages: Record<string, (text: string) => string> = {
  'cut off': (text) => text.slice(0, text.length / 2),
  empty: () => '',
  overwritten: (text) => 'x'.repeat(text.length),
  'another thing': () => '{"hello":"world"}',
};

test.each(Object.keys(damages))(
  'A file that is %s is moved aside, and the other target keeps its counters',
  async (name) => {
    const { service, daemon, file } = await stopped();
    const damaged = damages[name]!(await readFile(file, 'utf8'));
    await writeFile(file, damaged);

    daemon.spawn();
    await daemon.ready();
    const samples = await daemon.cycle();
    expect(samples.value(counter, raised('ap-guangzhou'))).toBe(0);
    expect(samples.value(counter, raised('ap-shanghai'))).toBe(1);
    expect(samples.value('cvm_monitor_state_damaged_files_total')).toBe(1);
    await daemon.logged('damaged record', ({ level }) => level === 'error');
    const aside = (await readdir(daemon.storagePath)).find((each) => each.includes('.damaged'));
    expect(await readFile(join(daemon.storagePath, aside!), 'utf8')).toBe(damaged);

    service.region('ap-guangzhou').setLimit('image', null, 12);
    await daemon.metricsWhen((each) => each.value(counter, raised('ap-guangzhou')) === 1);
  },
);

test('A file that was deleted begins a baseline, and counts no change', async () => {
  const { daemon, file } = await stopped();
  await rm(file);

  daemon.spawn();
  await daemon.ready();
  const samples = await daemon.cycle();
  expect(samples.value(counter, raised('ap-guangzhou'))).toBe(0);
  expect(samples.value(counter, raised('ap-shanghai'))).toBe(1);
  expect(samples.value('cvm_monitor_state_damaged_files_total')).toBe(0);
});

test('Files of other programs in the directory are left alone', async () => {
  const { daemon } = await stopped();
  const other = join(daemon.storagePath, 'notes.txt');
  await writeFile(other, 'of someone else');

  daemon.spawn();
  await daemon.ready();
  await daemon.cycle();
  await daemon.stop();
  expect(await readFile(other, 'utf8')).toBe('of someone else');
});
