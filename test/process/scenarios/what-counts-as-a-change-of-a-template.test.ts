/** Launch templates: each row of "What counts as a change" in docs/status-page.md, all rows side by side. */
import { expect, test } from 'vitest';
import type { ActionInput, FaultRuleInput } from '../../../src/emulator/emulator.ts';
import {
  dataOf,
  emulateRegions,
  regionOf,
  templateWith,
  versionsOf,
} from '../../support/emulator.ts';
import { observe } from '../../support/observe.ts';
import { watchEmulator } from '../../support/program.ts';

type Change<Action extends ActionInput = TemplateAction> = Action extends unknown
  ? Omit<Action, 'region' | 'template_id'>
  : never;
type TemplateAction = Extract<ActionInput, { template_id: string }>;
type Fault = Extract<FaultRuleInput, { effect: 'error' }>;

/**
 * What happens to the template until the next step, what the next two polls find (what is gone counts when both lack
 * it), the default version that is shown then (`null` for none), and the counter of its changes.
 */
type Step = readonly [
  acts: readonly (Change | Fault)[],
  finds: readonly string[],
  shows: number | null,
  counts: number,
];

/** Sets the default version, once or several times. */
const become = (...versions: readonly number[]) =>
  versions.map((version): Change => ({ do: 'set-default-version', version }));
const remove = (version: number): Change => ({ do: 'delete-version', version });
const add = (version: number): Change => ({
  do: 'create-version',
  version,
  data: dataOf(version),
});
const erase: Change = { do: 'delete-template' };
/** Creates the template. Several versions, or none, can say that they are the default. */
const create = (numbers: readonly number[], ...defaults: readonly number[]): Change => ({
  do: 'create-template',
  default_version: numbers[0]!,
  versions: versionsOf(...numbers).map((each) => ({
    ...each,
    fields: { IsDefaultVersion: defaults.includes(each.version) },
  })),
});

/** The three versions, in an answer with these defaults. */
const withDefaults = (...defaults: readonly number[]) => [erase, create([1, 2, 5], ...defaults)];

const noDefault: Step = [withDefaults(), [], null, 0];
const twoDefaults: Step = [withDefaults(2, 5), [], null, 0];
const deleted: Step = [[erase], [], 2, 0];
const sameAgain: Step = [withDefaults(2), [], 2, 0];
const moved = 'default-version-changed 2 → 5';
const another: Step = [withDefaults(5), [moved], 5, 1];

/** Each begins with the versions 1, 2 and 5, and 2 as the default. */
const rows = Object.entries<readonly Step[]>({
  'the default version moves forward': [[become(5), [moved], 5, 1]],
  'the default version moves backward': [[become(1), ['default-version-changed 2 → 1'], 1, 1]],
  'the default version moves twice between two polls': [[become(1, 5), [moved], 5, 1]],
  'the default version moves and is back before the next poll': [[become(5, 2), [], 2, 0]],
  'the default version moves while polls fail': [
    [[...become(5), { effect: 'error', code: 'InternalError' }], [], 2, 0],
    [[], [moved], 5, 1],
  ],
  'the default version moves to a version that was deleted before': [
    [[remove(5)], ['version-deleted 5'], 2, 0],
    [withDefaults(5), ['version-created 5', moved], 5, 1],
  ],
  'the default version is deleted without another in its place': [
    [[erase, create([1, 5])], ['version-deleted 2'], null, 0],
  ],
  'no version is the default, then the same one as before': [noDefault, sameAgain],
  'no version is the default, then another one': [noDefault, another],
  'two versions are the default at once, then the one before': [twoDefaults, sameAgain],
  'two versions are the default at once, then another one': [twoDefaults, another],
  'a template is deleted and created again as it was': [
    deleted,
    [[create([1, 2, 5], 2)], [], 2, 0],
  ],
  'a template is deleted and created again with other versions': [
    deleted,
    [
      [create([1, 3], 1)],
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
    [[add(6), ...become(6)], ['version-created 6', 'default-version-changed 2 → 6'], 6, 1],
  ],
  'version numbers leave gaps, and go beyond 30': [
    [[add(47), remove(1)], ['version-created 47', 'version-deleted 1'], 2, 0],
    [[remove(47)], ['version-deleted 47'], 2, 0],
  ],
}).map(([name, steps], n) => ({ name, steps, id: `lt-row${String(n).padStart(5, '0')}` }));

test('What counts as a change of a launch template, and what does not', async () => {
  const launch_templates = rows.map(({ id }) => ({ id, ...templateWith(2, 1, 2, 5) }));
  const emulator = await emulateRegions(regionOf('ap-guangzhou', { launch_templates }));
  const daemon = await watchEmulator(emulator, {
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
    emulator.faults.clear();
    for (const { steps, id: template_id } of rows) {
      for (const act of steps[step]?.[0] ?? []) {
        if ('effect' in act) emulator.faults.add({ ...act, template_id });
        else emulator.do({ ...act, region: 'ap-guangzhou', template_id });
      }
    }
    await compare(step + 1);
    await observe(daemon, `after step ${step + 1}`);
  }

  await daemon.restart();
  await compare(2);
});
