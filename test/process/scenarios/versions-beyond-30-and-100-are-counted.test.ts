/** DescribeLaunchTemplateVersions: the whole list is read, whatever its numbers and however long it is. */
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { type Daemon, watchService } from '../../support/program.ts';
import { startService, type Service } from '../../support/service.ts';

const id = 'lt-b8v1kcyq';
const few = [2, 29, 30, 31, 47, 3000];
/** 250 numbers with gaps: three pages of 100. */
const many = Array.from({ length: 250 }, (_, n) => 3 * n + 1);

const start = (service: Service): Promise<Daemon> =>
  watchService(service, {
    account: { quota_types: ['image'] },
    regions: [{ name: 'ap-guangzhou', launch_templates: [id] }],
  });

const figures = async (daemon: Daemon) => {
  const samples = await daemon.cycle();
  const of = (name: string) => samples.value(`cvm_launch_template_${name}`, { template_id: id });
  return { default: of('default_version'), latest: of('latest_version'), count: of('versions') };
};

test('Version numbers above 30 are seen, gaps are no versions', async () => {
  const service = await startService();
  service.region('ap-guangzhou').createTemplate(id, { versions: few, default: 47 });
  const daemon = await start(service);

  expect(await figures(daemon)).toEqual({ default: 47, latest: 3000, count: 6 });
  const [request] = service.asked({ action: 'DescribeLaunchTemplateVersions' });
  expect(request?.parameters).toMatchObject({
    LaunchTemplateId: id,
    MinVersion: '0',
    Limit: '100',
  });
  expect(Number(request?.parameters.MaxVersion)).toBeGreaterThanOrEqual(2 ** 31 - 1);
  await observe(daemon, 'six versions');
});

test('A list of more than 100 versions is read page by page, and its last page counts', async () => {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  region.createTemplate(id, { versions: many, default: 748 });
  const daemon = await start(service);
  expect(await figures(daemon)).toEqual({ default: 748, latest: 748, count: 250 });

  region.createVersion(id, 751);
  region.deleteVersion(id, 1);
  region.setDefault(id, 4);
  expect(await figures(daemon)).toEqual({ default: 4, latest: 751, count: 250 });
  // A version is deleted when two polls lack it.
  await daemon.cycle();
  expect(await daemon.feed()).toEqual([
    `${id}: version-created 751`,
    `${id}: default-version-changed 748 → 4`,
    `${id}: version-deleted 1`,
  ]);
  const limits = service.requests.map(({ parameters }) => parameters.Limit).filter(Boolean);
  expect(new Set(limits)).toEqual(new Set(['100']));
  await observe(daemon, 'after a change on the first and on the last page');
});

test('What UserData holds is on no surface', async () => {
  const service = await startService();
  service.region('ap-guangzhou').createTemplate(id, { versions: [1], default: 1 });
  const daemon = await start(service);
  await daemon.cycle();

  for (const path of ['/', '/metrics', '/api/v1/targets', '/api/v1/changes']) {
    expect(await daemon.text(path)).not.toContain('IyEvYmluL3NoCg');
  }
  expect(daemon.everything()).not.toContain('IyEvYmluL3NoCg');
});
