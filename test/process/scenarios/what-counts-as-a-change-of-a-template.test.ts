/** Launch templates: each row of "What counts as a change" in docs/status-page.md, all rows side by side. */
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { type Daemon, watchService } from '../../support/program.ts';
import { startService, type Region, type Service } from '../../support/service.ts';

interface Step {
  readonly act: (region: Region, id: string, service: Service) => unknown;
  /** The changes that the next two polls find: what is gone counts when both lack it. */
  readonly finds: readonly string[];
  /** The default version that is shown then; `null` for none. */
  readonly shows: number | null;
  /** The counter of changes of the default version. */
  readonly counts: number;
}

const nothing = () => undefined;
const noDefault: Step = {
  act: (region, id) => region.setDefault(id),
  finds: [],
  shows: null,
  counts: 0,
};
const twoDefaults: Step = {
  ...noDefault,
  act: (region, id) => region.setDefault(id, 2, 5),
};
const deleted: Step = {
  ...noDefault,
  act: (region, id) => region.deleteTemplate(id),
  shows: 2,
};
const sameAgain: Step = {
  act: (region, id) => region.setDefault(id, 2),
  finds: [],
  shows: 2,
  counts: 0,
};
const another: Step = {
  act: (region, id) => region.setDefault(id, 5),
  finds: ['default-version-changed 2 → 5'],
  shows: 5,
  counts: 1,
};

/** Each begins with the versions 1, 2 and 5, and 2 as the default. */
const rows: Readonly<Record<string, readonly Step[]>> = {
  'the default version moves forward': [another],
  'the default version moves backward': [
    {
      act: (region, id) => region.setDefault(id, 1),
      finds: ['default-version-changed 2 → 1'],
      shows: 1,
      counts: 1,
    },
  ],
  'the default version moves twice between two polls': [
    {
      ...another,
      act: (region, id) => region.setDefault(id, 1).setDefault(id, 5),
    },
  ],
  'the default version moves and is back before the next poll': [
    {
      ...sameAgain,
      act: (region, id) => region.setDefault(id, 5).setDefault(id, 2),
    },
  ],
  'the default version moves while polls fail': [
    {
      ...sameAgain,
      act: (region, id, service) => {
        region.setDefault(id, 5);
        const fault = service.fault({ template: id, error: 'InternalError' });
        ends.set(id, fault.end);
      },
    },
    { ...another, act: (_region, id) => ends.get(id)?.() },
  ],
  'the default version moves to a version that was deleted before': [
    {
      ...sameAgain,
      act: (region, id) => region.deleteVersion(id, 5),
      finds: ['version-deleted 5'],
    },
    {
      ...another,
      act: (region, id) => region.createVersion(id, 5).setDefault(id, 5),
      finds: ['version-created 5', 'default-version-changed 2 → 5'],
    },
  ],
  'the default version is deleted without another in its place': [
    {
      ...noDefault,
      act: (region, id) => region.deleteVersion(id, 2),
      finds: ['version-deleted 2'],
    },
  ],
  'no version is the default, then the same one as before': [noDefault, sameAgain],
  'no version is the default, then another one': [noDefault, another],
  'two versions are the default at once, then the one before': [twoDefaults, sameAgain],
  'two versions are the default at once, then another one': [twoDefaults, another],
  'a template is deleted and created again as it was': [
    deleted,
    {
      ...sameAgain,
      act: (region, id) => region.createTemplate(id, { versions: [1, 2, 5], default: 2 }),
    },
  ],
  'a template is deleted and created again with other versions': [
    deleted,
    {
      act: (region, id) => region.createTemplate(id, { versions: [1, 3], default: 1 }),
      finds: [
        'version-created 3',
        'default-version-changed 2 → 1',
        'version-deleted 2',
        'version-deleted 5',
      ],
      shows: 1,
      counts: 1,
    },
  ],
  'a version is created and becomes the default': [
    {
      act: (region, id) => region.createVersion(id, 6).setDefault(id, 6),
      finds: ['version-created 6', 'default-version-changed 2 → 6'],
      shows: 6,
      counts: 1,
    },
  ],
  'version numbers leave gaps, and go beyond 30': [
    {
      ...sameAgain,
      act: (region, id) => region.createVersion(id, 47).deleteVersion(id, 1),
      finds: ['version-created 47', 'version-deleted 1'],
    },
    {
      ...sameAgain,
      act: (region, id) => region.deleteVersion(id, 47),
      finds: ['version-deleted 47'],
    },
  ],
};
const ends = new Map<string, () => void>();
const named = Object.entries(rows).map(([name, steps], n) => {
  const id = `lt-row${String(n).padStart(5, '0')}`;
  return { name, steps, id };
});

/** What each row has so far: the changes in the feed, the gauge, the counter. */
async function found(daemon: Daemon): Promise<Record<string, unknown>> {
  await daemon.cycle();
  const samples = await daemon.cycle();
  const feed = await daemon.feed();
  const entries = named.map(({ name, id }) => {
    const value = (what: string) =>
      samples.value(`cvm_launch_template_${what}`, { template_id: id }) ?? null;
    const prefix = `${id}: `;
    return [
      name,
      {
        finds: feed
          .filter((line) => line.startsWith(prefix))
          .map((line) => line.slice(prefix.length)),
        shows: value('default_version'),
        counts: value('default_version_changes_total'),
      },
    ] as const;
  });
  return Object.fromEntries(entries);
}

/** What each row must have after so many of its steps. */
function due(steps: number): Record<string, unknown> {
  const entries = named.map((row) => {
    const done = row.steps.slice(0, steps);
    const { shows = 2, counts = 0 } = done.at(-1) ?? {};
    return [row.name, { finds: done.flatMap(({ finds }) => finds), shows, counts }] as const;
  });
  return Object.fromEntries(entries);
}

test('What counts as a change of a launch template, and what does not', async () => {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  for (const { id } of named) region.createTemplate(id, { versions: [1, 2, 5], default: 2 });
  const daemon = await watchService(service, {
    api: { requests_per_second: 20, max_attempts: 1 },
    account: { quota_types: ['image'] },
    regions: [{ name: 'ap-guangzhou', launch_templates: named.map(({ id }) => id) }],
  });
  expect(await found(daemon)).toEqual(due(0));

  for (const step of [0, 1]) {
    for (const { steps, id } of named) (steps[step]?.act ?? nothing)(region, id, service);
    expect(await found(daemon)).toEqual(due(step + 1));
    await observe(daemon, `after step ${step + 1}`);
  }

  await daemon.restart();
  expect(await found(daemon)).toEqual(due(2));
});
