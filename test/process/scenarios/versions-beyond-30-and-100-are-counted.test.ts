/** DescribeLaunchTemplateVersions: the whole list is read, whatever its numbers and however long it is. */
import { expect, test } from 'vitest';
import { asked, emulateRegions, regionOf, templateWith } from '../../support/emulator.ts';
import { observe } from '../../support/observe.ts';
import { type Daemon, watchEmulator } from '../../support/program.ts';

const id = 'lt-b8v1kcyq';
const few = [2, 29, 30, 31, 47, 3000];
/** 250 numbers with gaps: three pages of 100. */
const many = Array.from({ length: 250 }, (_, n) => 3 * n + 1);

/** Starts an emulator with a template, and a daemon that watches it. */
async function start(defaultVersion: number, ...versions: readonly number[]) {
  const launch_templates = [{ id, ...templateWith(defaultVersion, ...versions) }];
  const emulator = await emulateRegions(regionOf('ap-guangzhou', { launch_templates }));
  const daemon = await watchEmulator(emulator, {
    account: { quota_types: ['image'] },
    regions: [{ name: 'ap-guangzhou', launch_templates: [id] }],
  });
  return { emulator, daemon };
}

const figures = async (daemon: Daemon) => {
  const samples = await daemon.cycle();
  const of = (name: string) => samples.value(`cvm_launch_template_${name}`, { template_id: id });
  return { default: of('default_version'), latest: of('latest_version'), count: of('versions') };
};

test('Version numbers above 30 are seen, gaps are no versions', async () => {
  const { emulator, daemon } = await start(47, ...few);

  expect(await figures(daemon)).toEqual({ default: 47, latest: 3000, count: 6 });
  const [request] = asked(emulator, { operation: 'DescribeLaunchTemplateVersions' });
  expect(request?.parameters).toMatchObject({
    LaunchTemplateId: id,
    MinVersion: '0',
    Limit: '100',
  });
  expect(Number(request?.parameters?.MaxVersion)).toBeGreaterThanOrEqual(2 ** 31 - 1);
  await observe(daemon, 'six versions');
});

test('A list of more than 100 versions is read page by page, and its last page counts', async () => {
  const { emulator, daemon } = await start(748, ...many);
  expect(await figures(daemon)).toEqual({ default: 748, latest: 748, count: 250 });

  const template = { region: 'ap-guangzhou', template_id: id };
  emulator.do([
    { do: 'create-version', ...template, version: 751 },
    { do: 'delete-version', ...template, version: 1 },
    { do: 'set-default-version', ...template, version: 4 },
  ]);
  expect(await figures(daemon)).toEqual({ default: 4, latest: 751, count: 250 });
  // A version is deleted when two polls lack it.
  await daemon.cycle();
  expect(await daemon.feed()).toEqual([
    `${id}: version-created 751`,
    `${id}: default-version-changed 748 → 4`,
    `${id}: version-deleted 1`,
  ]);
  const limits = asked(emulator)
    .map(({ parameters }) => parameters?.Limit)
    .filter(Boolean);
  expect(new Set(limits)).toEqual(new Set(['100']));
  await observe(daemon, 'after a change on the first and on the last page');
});

test('What UserData holds is on no surface', async () => {
  const { daemon } = await start(1, 1);
  await daemon.cycle();

  for (const path of ['/', '/metrics', '/api/v1/targets', '/api/v1/changes']) {
    expect(await daemon.text(path)).not.toContain('IyEvYmluL3NoCg');
  }
  expect(daemon.everything()).not.toContain('IyEvYmluL3NoCg');
});
