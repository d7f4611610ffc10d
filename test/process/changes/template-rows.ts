/** Launch templates: what is a change of the default version, what is a change of versions. */
import type { Row, Step } from './row.ts';
import { listTruly, listVersions, region, template, templateId, type Stage } from './stage.ts';

const place = { region, template_id: templateId };

/** Moves the default version to one after the other. */
const setDefault =
  (...versions: readonly number[]) =>
  ({ emulator }: Stage): void => {
    for (const version of versions) emulator.do({ do: 'set-default-version', ...place, version });
  };

const series = (values: {
  current: number | null;
  changed: number;
  created?: number;
  deleted?: number;
}) => ({
  default_version: values.current,
  default_version_changes_total: values.changed,
  versions_created_total: values.created ?? 0,
  versions_deleted_total: values.deleted ?? 0,
});

const noDefault: Step = {
  act: (stage) => {
    listVersions(stage, (rows) => rows.map((row) => ({ ...row, IsDefaultVersion: false })));
  },
  changes: [],
  series: series({ current: null, changed: 0 }),
  faults: ['kind="no-default"} 1'],
};

const twoDefaults: Step = {
  act: (stage) => {
    listVersions(stage, (rows) =>
      rows.map((row) => ({ ...row, IsDefaultVersion: row.LaunchTemplateVersion !== 1 })),
    );
  },
  changes: [],
  series: series({ current: null, changed: 0 }),
  faults: ['kind="multiple-defaults"} 1'],
};

const notExisted = 'code="InvalidParameterValue.LaunchTemplateIdNotExisted"} 1';

const deleted: Step = {
  act: ({ emulator }) => {
    emulator.do({ do: 'delete-template', ...place });
  },
  changes: [],
  series: { ...series({ current: 2, changed: 0 }), versions: 3 },
  faults: [notExisted],
};

/** Another poll of what the last step left. */
const next = (changes: readonly string[], values: Step['series'], faults?: string[]): Step => ({
  act: () => undefined,
  changes,
  series: values,
  ...(faults && { faults }),
});

/** The truth again, with another default version. */
const trulyDefault =
  (version: number) =>
  (stage: Stage): void => {
    listTruly(stage);
    setDefault(version)(stage);
  };

const again = {
  region,
  template_id: templateId,
  name: 'again',
  default_version: template.default_version,
  versions: template.versions,
};

export const templateRows: readonly Row[] = [
  {
    name: 'the default version moves forward',
    steps: [
      {
        act: setDefault(5),
        changes: ['default-version-changed 2 → 5'],
        series: series({ current: 5, changed: 1 }),
      },
    ],
  },
  {
    name: 'the default version moves backward',
    steps: [
      {
        act: setDefault(1),
        changes: ['default-version-changed 2 → 1'],
        series: series({ current: 1, changed: 1 }),
      },
    ],
  },
  {
    name: 'the default version moves twice between two polls',
    steps: [
      {
        act: setDefault(1, 5),
        changes: ['default-version-changed 2 → 5'],
        series: series({ current: 5, changed: 1 }),
      },
    ],
  },
  {
    name: 'the default version moves and is back before the next poll',
    steps: [
      {
        act: setDefault(5, 2),
        changes: [],
        series: series({ current: 2, changed: 0 }),
      },
    ],
  },
  {
    name: 'the default version moves while polls fail',
    steps: [
      {
        act: (stage) => {
          setDefault(5)(stage);
          stage.monitor.emulator.faults.add({ effect: 'error', code: 'InternalError', count: 2 });
        },
        changes: [],
        series: series({ current: 2, changed: 0 }),
        faults: ['code="InternalError"} 1'],
      },
      {
        act: () => undefined,
        changes: ['default-version-changed 2 → 5'],
        series: series({ current: 5, changed: 1 }),
        faults: ['code="InternalError"} 1'],
      },
    ],
  },
  {
    name: 'the default version moves to a version that was deleted before',
    steps: [
      {
        act: ({ emulator }) => {
          emulator.do({ do: 'delete-version', ...place, version: 5 });
        },
        changes: [],
        series: series({ current: 2, changed: 0 }),
      },
      next(['version-deleted 5'], series({ current: 2, changed: 0, deleted: 1 })),
      {
        act: (stage) => {
          listVersions(stage, (rows) => [
            ...rows.map((row) => ({ ...row, IsDefaultVersion: false })),
            { ...rows[0]!, LaunchTemplateVersion: 5, IsDefaultVersion: true },
          ]);
        },
        changes: ['version-created 5', 'default-version-changed 2 → 5'],
        series: series({ current: 5, changed: 1, created: 1, deleted: 1 }),
      },
    ],
  },
  {
    name: 'the default version is deleted without another in its place',
    steps: [
      {
        act: (stage) => {
          listVersions(stage, (rows) => rows.filter((row) => !row.IsDefaultVersion));
        },
        changes: [],
        series: series({ current: null, changed: 0 }),
        faults: ['kind="no-default"} 1'],
      },
      next(['version-deleted 2'], series({ current: null, changed: 0, deleted: 1 }), [
        'kind="no-default"} 2',
      ]),
    ],
  },
  {
    name: 'no version is the default, then the same one as before',
    steps: [
      noDefault,
      {
        act: listTruly,
        changes: [],
        series: series({ current: 2, changed: 0 }),
        faults: ['kind="no-default"} 1'],
      },
    ],
  },
  {
    name: 'no version is the default, then another one',
    steps: [
      noDefault,
      {
        act: trulyDefault(5),
        changes: ['default-version-changed 2 → 5'],
        series: series({ current: 5, changed: 1 }),
        faults: ['kind="no-default"} 1'],
      },
    ],
  },
  {
    name: 'two versions are the default at once, then the one before',
    steps: [
      twoDefaults,
      {
        act: listTruly,
        changes: [],
        series: series({ current: 2, changed: 0 }),
        faults: ['kind="multiple-defaults"} 1'],
      },
    ],
  },
  {
    name: 'two versions are the default at once, then another one',
    steps: [
      twoDefaults,
      {
        act: trulyDefault(5),
        changes: ['default-version-changed 2 → 5'],
        series: series({ current: 5, changed: 1 }),
        faults: ['kind="multiple-defaults"} 1'],
      },
    ],
  },
  {
    name: 'a template is deleted and created again as it was',
    steps: [
      deleted,
      {
        act: ({ emulator }) => {
          emulator.do({ do: 'create-template', ...again });
        },
        changes: [],
        series: series({ current: 2, changed: 0 }),
        faults: [notExisted],
      },
    ],
  },
  {
    name: 'a template is deleted and created again with other versions',
    steps: [
      deleted,
      {
        act: ({ emulator }) => {
          emulator.do({ do: 'create-template', ...again, default_version: 1, versions: [1, 3] });
        },
        changes: ['version-created 3', 'default-version-changed 2 → 1'],
        series: series({ current: 1, changed: 1, created: 1 }),
        faults: [notExisted],
      },
      next(
        ['version-deleted 2', 'version-deleted 5'],
        series({ current: 1, changed: 1, created: 1, deleted: 2 }),
        [notExisted],
      ),
    ],
  },
  {
    name: 'a version is created and becomes the default',
    steps: [
      {
        act: (stage) => {
          stage.emulator.do({ do: 'create-version', ...place });
          setDefault(6)(stage);
        },
        changes: ['version-created 6', 'default-version-changed 2 → 6'],
        series: series({ current: 6, changed: 1, created: 1 }),
      },
    ],
  },
  {
    name: 'version numbers leave gaps, and go beyond 30',
    steps: [
      {
        act: ({ emulator }) => {
          emulator.do({ do: 'create-version', ...place, version: 47 });
          emulator.do({ do: 'delete-version', ...place, version: 1 });
        },
        changes: ['version-created 47'],
        series: {
          ...series({ current: 2, changed: 0, created: 1 }),
          latest_version: 47,
          versions: 3,
        },
      },
      next(['version-deleted 1'], series({ current: 2, changed: 0, created: 1, deleted: 1 })),
      {
        act: ({ emulator }) => {
          emulator.do({ do: 'delete-version', ...place, version: 47 });
        },
        changes: [],
        series: {
          ...series({ current: 2, changed: 0, created: 1, deleted: 1 }),
          latest_version: 47,
          versions: 2,
        },
      },
      next(['version-deleted 47'], {
        ...series({ current: 2, changed: 0, created: 1, deleted: 2 }),
        latest_version: 5,
        versions: 2,
      }),
    ],
  },
  {
    name: 'one poll lacks a version that exists',
    steps: [
      {
        act: (stage) => {
          listVersions(stage, (rows) => rows.filter((row) => row.LaunchTemplateVersion !== 5));
        },
        changes: [],
        series: { ...series({ current: 2, changed: 0 }), latest_version: 5, versions: 2 },
      },
      { act: listTruly, changes: [], series: series({ current: 2, changed: 0 }) },
    ],
  },
  {
    name: 'a list has none of the known versions',
    steps: [
      {
        act: (stage) => {
          listVersions(stage, (rows) =>
            rows.map((row) => ({
              ...row,
              LaunchTemplateVersion: row.LaunchTemplateVersion + 10,
            })),
          );
        },
        changes: ['list-replaced 3 → 3', 'default-version-changed 2 → 12'],
        series: { ...series({ current: 12, changed: 1 }), versions_replaced_total: 1 },
      },
    ],
  },
  {
    name: 'an answer is about another template',
    steps: [
      {
        act: (stage) => {
          listVersions(stage, (rows) =>
            rows.map((row) => ({ ...row, LaunchTemplateId: 'lt-other', IsDefaultVersion: true })),
          );
        },
        changes: [],
        series: series({ current: 2, changed: 0 }),
        faults: ['code="InvalidResponse"} 1'],
      },
    ],
  },
];
