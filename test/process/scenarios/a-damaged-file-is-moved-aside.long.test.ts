/** A record that does not parse is moved aside and reported. Only its target begins again. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emulateRegions, setLimit } from '../../support/emulator.ts';
import { watchEmulator } from '../../support/program.ts';

const raised = (region: string) => ({ region, quota_type: 'image', direction: 'raised' });
const counter = 'cvm_quota_limit_changes_total';

/** What happens to the file of a region. */
const damages: Record<string, (text: string) => string> = {
  'ap-cut': (text) => text.slice(0, text.length / 2),
  'ap-empty': () => '',
  'ap-overwritten': (text) => 'x'.repeat(text.length),
  'ap-other': () => '{"hello":"world"}',
};
const names = [...Object.keys(damages), 'ap-deleted', 'ap-whole'];

test('Files that are damaged are moved aside, and every other target keeps its counters', async () => {
  const emulator = await emulateRegions(...names);
  const daemon = await watchEmulator(emulator, { regions: names });
  for (const name of names) emulator.do(setLimit('image', 11, name));
  await daemon.metricsWhen((each) => each.sum(counter) === names.length);
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });

  const files = await readdir(daemon.storagePath);
  const fileOf = (region: string) =>
    join(
      daemon.storagePath,
      files.find((file) => file.includes(region))!,
    );
  const damaged = new Set<string>();
  for (const [region, damage] of Object.entries(damages)) {
    const text = damage(await readFile(fileOf(region), 'utf8'));
    damaged.add(text);
    await writeFile(fileOf(region), text);
  }
  await rm(fileOf('ap-deleted'));
  const notes = join(daemon.storagePath, 'notes.txt');
  await writeFile(notes, 'of someone else');

  daemon.spawn();
  await daemon.ready();
  const samples = await daemon.cycle();
  for (const region of names) {
    const expected = region === 'ap-whole' ? 1 : 0;
    expect([region, samples.value(counter, raised(region))]).toEqual([region, expected]);
  }
  expect(samples.value('cvm_monitor_state_damaged_files_total')).toBe(4);
  await daemon.logged('damaged record', ({ level }) => level === 'error');
  const aside = (await readdir(daemon.storagePath)).filter((file) => file.includes('.damaged'));
  const kept = aside.map((file) => readFile(join(daemon.storagePath, file), 'utf8'));
  expect(new Set(await Promise.all(kept))).toEqual(damaged);

  for (const name of names) emulator.do(setLimit('image', 12, name));
  const after = await daemon.metricsWhen((each) => each.sum(counter) === names.length + 1);
  expect(after.value(counter, raised('ap-cut'))).toBe(1);
  await daemon.stop();
  expect(await readFile(notes, 'utf8')).toBe('of someone else');
});
