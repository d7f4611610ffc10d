import { describe, expect, it } from 'vitest';
import { collectors } from '../../../../src/collectors/collectors.ts';
import { launchTemplateListCollector as collector } from '../../../../src/collectors/launch-template-list/launch-template-list.ts';
import type { LaunchTemplateListSnapshot } from '../../../../src/collectors/launch-template-list/answer.ts';
import type { LaunchTemplateListTarget } from '../../../../src/collectors/launch-template-list/launch-template-list.ts';
import type { TargetRecord } from '../../../../src/model/record.ts';
import { formatRecord, parseRecord } from '../../../../src/state/record-file.ts';
import { advance } from '../../../helpers/advance.ts';
import { templateListTarget } from '../../../helpers/fake-monitor.ts';
import { viewOf } from '../../../helpers/record-view.ts';
import { asStored } from '../../../helpers/records.ts';
import { templateListSnapshot } from '../../../helpers/snapshots.ts';

const target = templateListTarget('production', 'ap-guangzhou');
const row = (id: string) => ({
  id,
  name: 'web',
  defaultVersion: 2,
  latestVersion: 3,
  versions: null,
});

/** A list with these templates. */
const listOf = (ids: readonly string[], more: Partial<LaunchTemplateListSnapshot> = {}) =>
  templateListSnapshot({ templates: ids.map(row), ...more });

/** Answers one after the other; the records and the changes after each. */
function answers(own: LaunchTemplateListTarget, ...lists: LaunchTemplateListSnapshot[]) {
  let record = collector.newRecord(own);
  return lists.map((snapshot) => {
    const next = advance(record, { ok: true, snapshot, anomalies: [], durationMs: 1 }, 1_000);
    ({ record } = next);
    return next;
  });
}

const last = (own: LaunchTemplateListTarget, ...lists: LaunchTemplateListSnapshot[]) => {
  const after = answers(own, ...lists).at(-1);
  if (after === undefined) throw new Error('no answer');
  return after;
};

const watched = (record: TargetRecord) =>
  collector.discovery?.finds(record).map(({ resource }) => resource?.template_id);

describe('the templates of a region', () => {
  it('that the first answer has were not created', () => {
    const { changes, record } = last(target, listOf(['lt-1', 'lt-2']));

    expect(changes).toEqual([]);
    expect(record).toMatchObject({ templatesCreated: 0, templatesDeleted: 0 });
  });

  it('are created and deleted as later answers say, and counted', () => {
    const { changes, record } = last(target, listOf(['lt-1', 'lt-2']), listOf(['lt-2', 'lt-3']));

    expect(changes).toMatchObject([
      { kind: 'template-created', from: null, to: 'lt-3' },
      { kind: 'template-deleted', from: 'lt-1', to: null },
    ]);
    expect(record).toMatchObject({ templatesCreated: 1, templatesDeleted: 1 });
    expect(changes.map((change) => collectors.changeText(change))).toEqual([
      'launch template lt-3 created',
      'launch template lt-1 deleted',
    ]);
    expect(collector.countFromZero(record)).toMatchObject({
      templatesCreated: 0,
      templatesDeleted: 0,
      snapshot: record.seen.snapshot,
    });
  });

  it('stay watched while it is not clear which of them was deleted', () => {
    const lists = [
      listOf(['lt-1', 'lt-2', 'lt-3']),
      listOf(['lt-3'], { unidentified: 1 }),
      listOf(['lt-3', 'lt-4'], { unidentified: 1 }),
      listOf(['lt-1', 'lt-3', 'lt-4']),
    ];

    const steps = answers(target, ...lists);

    expect(steps.map(({ record }) => watched(record))).toEqual([
      ['lt-1', 'lt-2', 'lt-3'],
      ['lt-1', 'lt-2', 'lt-3'],
      ['lt-1', 'lt-2', 'lt-3', 'lt-4'],
      ['lt-1', 'lt-3', 'lt-4'],
    ]);
    expect(steps.at(-1)?.record).toMatchObject({ templatesCreated: 1, templatesDeleted: 1 });
  });

  it('do not stay when only another row cannot be read', () => {
    const own = listOf(['lt-1', 'lt-2'], { unidentified: 1 });

    const { record } = last(target, own, listOf(['lt-2'], { unidentified: 1 }));

    expect(watched(record)).toEqual(['lt-2']);
  });

  it('are counted on in each answer', () => {
    const lists = [['lt-1'], ['lt-2'], ['lt-3']].map((ids) => listOf(ids));

    expect(last(target, ...lists).record).toMatchObject({
      templatesCreated: 2,
      templatesDeleted: 2,
    });
  });

  it('of another account are a new beginning', () => {
    const { changes, record } = last(
      target,
      listOf(['lt-1'], { appId: 7 }),
      listOf(['lt-2'], { appId: 8 }),
    );

    expect(changes).toEqual([]);
    expect(watched(record)).toEqual(['lt-2']);
  });

  it('of another selection are a new beginning, and stay watched until its first answer', () => {
    const { record } = last(target, listOf(['lt-1', 'lt-2']));
    const other = { ...target, selection: { names: ['w*'], tags: {} } };

    const continued = collector.continueRecord(record, other);
    const { changes } = advance(
      continued,
      { ok: true, snapshot: listOf(['lt-2', 'lt-3']), anomalies: [], durationMs: 1 },
      2_000,
    );

    expect(continued).toMatchObject({ target: other, snapshot: null });
    expect(watched(continued)).toEqual(['lt-1', 'lt-2']);
    expect(changes).toEqual([]);
  });

  it('of the same selection go on with another maximum', () => {
    const { record } = last(target, listOf(['lt-1', 'lt-2']));
    const fewer = { ...target, maxWatched: 1 };

    const continued = collector.continueRecord(record, fewer);

    expect(continued).toEqual({ ...record, target: fewer });
    expect(watched(continued)).toEqual(['lt-1']);
  });

  it('are stored, and read again', () => {
    const own = { ...target, selection: { names: ['w*'], tags: { team: 'web' } } };
    const { record } = last(own, listOf(['lt-1']), listOf(['lt-2']));

    expect(parseRecord(formatRecord(record), collectors)).toEqual(asStored(record));
  });

  it('are shown in JSON', () => {
    expect(collector.json(listOf(['lt-1']))).toEqual({
      templates: [
        {
          template_id: 'lt-1',
          name: 'web',
          default_version: 2,
          latest_version: 3,
          versions: null,
        },
      ],
    });
  });
});

describe('the watched templates', () => {
  it('are targets with what the list says about them', () => {
    const { record } = last(target, listOf(['lt-1']), listOf([], { unidentified: 1 }));
    const { id: _id, ...listed } = row('lt-1');
    const found = {
      account: 'production',
      region: 'ap-guangzhou',
      operation: 'DescribeLaunchTemplateVersions',
      resource: { template_id: 'lt-1' },
    };

    expect(collector.discovery?.finds(last(target, listOf(['lt-1'])).record)).toEqual([
      { ...found, listed },
    ]);
    // It may be in the row that cannot be read.
    expect(collector.discovery?.finds(record)).toEqual([{ ...found, listed: null }]);
    expect(collector.discovery?.finds(collector.newRecord(target))).toEqual([]);
  });

  it('stay watched when others come before them, up to the maximum', () => {
    const two = { ...target, maxWatched: 2 };

    const { record } = last(two, listOf(['lt-2', 'lt-3']), listOf(['lt-1', 'lt-2', 'lt-3']));

    expect(watched(record)).toEqual(['lt-2', 'lt-3']);
  });

  it('are more when the maximum rises, without another answer', () => {
    const { record } = last({ ...target, maxWatched: 1 }, listOf(['lt-2', 'lt-1']));

    expect(watched(record)).toEqual(['lt-1']);
    expect(watched(collector.continueRecord(record, target))).toEqual(['lt-1', 'lt-2']);
  });

  it('make room when they are deleted', () => {
    const two = { ...target, maxWatched: 2 };

    const { record } = last(two, listOf(['lt-2', 'lt-3']), listOf(['lt-1', 'lt-3']));

    expect(watched(record)).toEqual(['lt-3', 'lt-1']);
  });
});

describe('the metrics of a list', () => {
  const samples = (record: TargetRecord, isFresh = true) =>
    Object.fromEntries(
      collector.families.map(({ name, samples: of }) => [name, of(viewOf(record, { isFresh }))]),
    );

  it('count its templates, also those that cannot be read, and its changes', () => {
    const more = listOf(['lt-1', 'lt-2', 'lt-3', 'lt-4', 'lt-5'], { unidentified: 2 });
    const { record } = last(target, listOf(['lt-1', 'lt-2', 'lt-6']), more);
    const counters = {
      cvm_launch_templates_created_total: [{ labels: {}, value: 3 }],
      cvm_launch_templates_deleted_total: [{ labels: {}, value: 0 }],
    };

    expect(samples(record)).toEqual({
      cvm_launch_templates: [{ labels: {}, value: 7 }],
      ...counters,
    });
    expect(samples(record, false)).toMatchObject({ cvm_launch_templates: [] });
    expect(collector.families.map(({ type }) => type)).toEqual(['gauge', 'counter', 'counter']);
  });

  it('have no number of templates before the first answer', () => {
    expect(samples(collector.newRecord(target))).toMatchObject({
      cvm_launch_templates: [],
      cvm_launch_templates_created_total: [{ value: 0 }],
    });
  });
});

describe('the plan', () => {
  const plan = (regionKeys: object) =>
    collector.plan({ account: 'production', region: 'ap-guangzhou', accountKeys: {}, regionKeys });

  it('has a list where templates are to be found', () => {
    expect(plan({ launch_templates: 'all' })).toEqual([target]);
    expect(
      plan({ launch_templates: { names: ['w*'], tags: { a: 'b' } }, max_launch_templates: 5 }),
    ).toEqual([{ ...target, selection: { names: ['w*'], tags: { a: 'b' } }, maxWatched: 5 }]);
    expect(plan({ launch_templates: {} })).toEqual([target]);
  });

  it('has none where the configuration names the templates, or nothing', () => {
    expect(plan({ launch_templates: ['lt-1'] })).toEqual([]);
    expect(plan({})).toEqual([]);
  });

  it('describes the selection', () => {
    const selection = { names: ['w*', 'x'], tags: { team: 'web', a: 'b' } };
    const own: LaunchTemplateListTarget = { ...target, selection };

    expect(collector.details(own)).toBe('w*, x, team=web, a=b');
    expect(collector.details(target)).toBe('');
  });

  it('needs the permissions for the list and for the versions', () => {
    expect(collector.actions).toEqual([
      'name/cvm:DescribeLaunchTemplates',
      'name/cvm:DescribeLaunchTemplateVersions',
    ]);
  });
});
