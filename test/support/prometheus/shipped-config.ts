/** Copies of the shipped configuration. Only addresses and durations differ. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '../directories.ts';

const shipped = join(import.meta.dirname, '../../../config');

interface Edit {
  readonly from: RegExp;
  readonly to: string;
}

/** A copy of config/alertmanager/ whose receivers are paths of `receiver`. Returns the file. */
export async function alertmanagerConfig(receiver: string): Promise<string> {
  const directory = await temporaryDirectory();
  await cp(join(shipped, 'alertmanager'), directory, { recursive: true });
  const file = join(directory, 'alertmanager.yaml');
  await edit(file, [
    { from: /localhost:9095/g, to: receiver },
    { from: /(group_(?:wait|interval): )\d+[sm]$/gm, to: '$11s' },
  ]);
  return file;
}

/** A copy of config/prometheus/ that scrapes `daemon` and sends to `alertmanager`. Returns the file. */
export async function prometheusConfig(addresses: {
  readonly daemon: string;
  readonly alertmanager: string;
}): Promise<string> {
  const directory = await temporaryDirectory();
  await cp(join(shipped, 'prometheus'), directory, { recursive: true });
  const file = (path: string) => join(directory, path);
  await edit(file('targets/cvm-quota-monitor.yaml'), [
    { from: /localhost:10042/, to: addresses.daemon },
  ]);
  await edit(file('targets/alertmanager.yaml'), [
    { from: /localhost:9093/, to: addresses.alertmanager },
  ]);
  await edit(file('prometheus.yaml'), [
    { from: /(scrape_interval: )30s/, to: '$11s' },
    { from: /(evaluation_interval: )30s/, to: '$11s' },
  ]);
  await edit(file('rules.yaml'), [
    { from: /^( +for: )\d+m/gm, to: '$11s' },
    { from: /^( +keep_firing_for: )\d+m/gm, to: '$11s' },
  ]);
  return file('prometheus.yaml');
}

async function edit(file: string, edits: readonly Edit[]): Promise<void> {
  let text = await readFile(file, 'utf8');
  for (const { from, to } of edits) {
    const edited = text.replace(from, to);
    if (edited === text) throw new Error(`${file}: nothing matches ${from}`);
    text = edited;
  }
  await writeFile(file, text);
}
