/** Launch templates: each row of "What counts as a change" in docs/status-page.md, all rows side by side. */
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { watchService } from '../../support/program.ts';
import { startService, type Region, type Service } from '../../support/service.ts';

/**
 * What happens, what the next two polls find (what is gone counts when both lack it), the default version that is shown
 * then (`null` for none), and the counter of its changes.
 */
type Step = readonly [
  act: (region: Region, id: string, service: Service) => unknown,
  finds: readonly string[],
  shows: number | null,
  counts: number,
];

const noDefault: Step = [(region, id) => region.setDefault(id), [], null, 0];
const twoDefaults: Step = [(region, id) => region.setDefault(id, 2, 5), [], null, 0];
const deleted: Step = [(region, id) => region.deleteTemplate(id), [], 2, 0];
const sameAgain: Step = [(region, id) => region.setDefault(id, 2), [], 2, 0];
const moved = 'default-version-changed 2 → 5';
const another: Step = [(region, id) => region.setDefault(id, 5), [moved], 5, 1];

let endFault = (): void => undefined;

/** Each begins with the versions 1, 2 and 5, and 2 as the default. */
const rows = Object.entries<readonly Step[]>({
  'the default version moves forward': [another],
  'the default version moves backward': [
    [(region, id) => region.setDefault(id, 1), ['default-version-changed 2 → 1'], 1, 1],
  ],
  'the default version moves twice between two polls': [
    [(region, id) => region.setDefault(id, 1).setDefault(id, 5), [moved], 5, 1],
  ],
  'the default version moves and is back before the next poll': [
    [(region, id) => region.setDefault(id, 5).setDefault(id, 2), [], 2, 0],
  ],
  'the default version moves while polls fail': [
    [
      (region, id, service) => {
        region.setDefault(id, 5);
        endFault = service.fault({ template: id, error: 'InternalError' }).end;
      },
      [],
      2,
      0,
    ],
    [
      () => {
        endFault();
      },
      [moved],
      5,
      1,
    ],
  ],
  'the default version moves to a version that was deleted before': [
    [(region, id) => region.deleteVersion(id, 5), ['version-deleted 5'], 2, 0],
    [
      (region, id) => region.createVersion(id, 5).setDefault(id, 5),
      ['version-created 5', moved],
      5,
      1,
    ],
  ],
  'the default version is deleted without another in its place': [
    [(region, id) => region.deleteVersion(id, 2), ['version-deleted 2'], null, 0],
  ],
  'no version is the default, then the same one as before': [noDefault, sameAgain],
  'no version is the default, then another one': [noDefault, another],
  'two versions are the default at once, then the one before': [twoDefaults, sameAgain],
  'two versions are the default at once, then another one': [twoDefaults, another],
  'a template is deleted and created again as it was': [
    deleted,
    [(region, id) => region.createTemplate(id, { versions: [1, 2, 5], default: 2 }), [], 2, 0],
  ],
  'a template is deleted and created again with other versions': [
    deleted,
    [
      (region, id) => region.createTemplate(id, { versions: [1, 3], default: 1 }),
      [
        'version-created 3',
        'default-version-changed 2 → 1',
        'version-deleted 2',
        'version-deleted 5',
      ],
      1,
      1,
    ],
  ],
  'a version is created and becomes the default': [
    [
      (region, id) => region.createVersion(id, 6).setDefault(id, 6),
      ['version-created 6', 'default-version-changed 2 → 6'],
      6,
      1,
    ],
  ],
  'version numbers leave gaps, and go beyond 30': [
    [
      (region, id) => region.createVersion(id, 47).deleteVersion(id, 1),
      ['version-created 47', 'version-deleted 1'],
      2,
      0,
    ],
    [(region, id) => region.deleteVersion(id, 47), ['version-deleted 47'], 2, 0],
  ],
}).map(([name, steps], n) => ({ name, steps, id: `lt-row${String(n).padStart(5, '0')}` }));

test('What counts as a change of a launch template, and what does not', async () => {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  for (const { id } of rows) region.createTemplate(id, { versions: [1, 2, 5], default: 2 });
  const daemon = await watchService(service, {
    api: { requests_per_second: 20, max_attempts: 1 },
    account: { quota_types: ['image'] },
    regions: [{ name: 'ap-guangzhou', launch_templates: rows.map(({ id }) => id) }],
  });
  /** Compares feed, gauge and counter of each row with what is due after so many of its steps. */
  const compare = async (count: number) => {
    await daemon.cycle();
    const samples = await daemon.cycle();
    const feed = await daemon.feed();
    const found = rows.map(({ name, id }) => {
      const value = (what: string) =>
        samples.value(`cvm_launch_template_${what}`, { template_id: id }) ?? null;
      const finds = feed.filter((line) => line.startsWith(id));
      const shows = value('default_version');
      return { name, finds, shows, counts: value('default_version_changes_total') };
    });
    const due = rows.map(({ name, id, steps }) => {
      const done = steps.slice(0, count);
      const [, , shows = 2, counts = 0] = done.at(-1) ?? [];
      const finds = done.flatMap(([, changes]) => changes.map((change) => `${id}: ${change}`));
      return { name, finds, shows, counts };
    });
    expect(found).toEqual(due);
  };
  await compare(0);

  for (const step of [0, 1]) {
    for (const { steps, id } of rows) steps[step]?.[0](region, id, service);
    await compare(step + 1);
    await observe(daemon, `after step ${step + 1}`);
  }

  await daemon.restart();
  await compare(2);
});
