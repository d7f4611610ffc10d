import { describe, expect, it } from 'vitest';
import { collectors } from '../../../../src/collectors/collectors.ts';
import { launchTemplateCollector as collector } from '../../../../src/collectors/launch-template/launch-template.ts';
import type { LaunchTemplateSnapshot } from '../../../../src/collectors/launch-template/answer.ts';
import type { LaunchTemplateTarget } from '../../../../src/collectors/launch-template/launch-template.ts';
import type { TargetRecord } from '../../../../src/model/record.ts';
import { formatRecord, parseRecord } from '../../../../src/state/record-file.ts';
import { advance } from '../../../helpers/advance.ts';
import { templateTarget, versions } from '../../../helpers/fake-monitor.ts';
import { viewOf } from '../../../helpers/record-view.ts';
import { asStored } from '../../../helpers/records.ts';

const target = templateTarget('production', 'ap-guangzhou', 'lt-1');
const listed = { name: 'web', defaultVersion: 1, latestVersion: 2, versions: 2 };
const atMs = 1_700_000_000_000;

/** The record and the changes after these answers. */
function after(own: LaunchTemplateTarget, ...answers: LaunchTemplateSnapshot[]) {
  const first = { record: collector.newRecord(own), changes: [] };
  return answers.reduce<ReturnType<typeof advance>>(
    ({ record }, snapshot) =>
      advance(record, { ok: true, snapshot, anomalies: [], durationMs: 1 }, atMs),
    first,
  );
}

const moved = [versions([1, 2], 1), versions([2, 3, 4], 3)] as const;
const withoutDefault: LaunchTemplateSnapshot = { ...moved[0], defaultVersion: null };

describe('the plan of launch templates', () => {
  const plan = (regionKeys: object) =>
    collector.plan({ account: 'production', region: 'ap-guangzhou', accountKeys: {}, regionKeys });

  it('has the templates that the configuration names', () => {
    const second = templateTarget('production', 'ap-guangzhou', 'lt-2');

    expect(plan({ launch_templates: ['lt-1', 'lt-2'] })).toEqual([target, second]);
    expect(collector.details(target)).toBe('');
  });

  it('has none where templates are to be found, or nothing is said', () => {
    expect(plan({ launch_templates: 'all' })).toEqual([]);
    expect(plan({ launch_templates: {} })).toEqual([]);
    expect(plan({})).toEqual([]);
  });

  it('needs one permission', () => {
    expect(collector.actions).toEqual(['name/cvm:DescribeLaunchTemplateVersions']);
  });
});

describe('the keys of the configuration', () => {
  const accepts = (keys: object) => collector.configuration.region.safeParse(keys).success;
  const tags = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));

  it.each([
    ['lt-1', true],
    [`lt-${'x'.repeat(60)}`, true],
    [`lt-${'x'.repeat(61)}`, false],
    ['lt-', false],
    ['lt-a/b', false],
    ['xlt-1', false],
    ['lt-1 ', false],
  ])('hold the ID %j: %s', (id, expected) => {
    expect(accepts({ launch_templates: [id] })).toBe(expected);
  });

  it.each<[string, object, boolean]>([
    ['every template', { launch_templates: 'all' }, true],
    ['no template', { launch_templates: [] }, true],
    ['one template twice', { launch_templates: ['lt-1', 'lt-1'] }, false],
    ['another word than all', { launch_templates: 'some' }, false],
    ['a name', { launch_templates: { names: ['web-*'] } }, true],
    ['no name', { launch_templates: { names: [] } }, false],
    ['an empty name', { launch_templates: { names: [''] } }, false],
    ['a name of 128 characters', { launch_templates: { names: ['x'.repeat(128)] } }, true],
    ['a longer name', { launch_templates: { names: ['x'.repeat(129)] } }, false],
    ['ten tags', { launch_templates: { tags: tags(10) } }, true],
    ['more tags than the service allows', { launch_templates: { tags: tags(11) } }, false],
    ['an unknown key of a selection', { launch_templates: { name: 'web' } }, false],
    ['a maximum of 1', { max_launch_templates: 1 }, true],
    ['a maximum of 0', { max_launch_templates: 0 }, false],
    ['a maximum of 10,000', { max_launch_templates: 10_000 }, true],
    ['a higher maximum', { max_launch_templates: 10_001 }, false],
  ])('accept %s or not', (_what, keys, expected) => {
    expect(accepts(keys)).toBe(expected);
  });

  it.each([
    [{ launch_templates: ['x'] }, 'lt-b8v1kcyq'],
    [{ launch_templates: { names: [] } }, 'omit the key'],
    [{ launch_templates: { tags: tags(11) } }, '10 tags'],
  ])('say how to correct %j', (keys, advice) => {
    const { error } = collector.configuration.region.safeParse(keys);

    expect(JSON.stringify(error?.issues)).toContain(advice);
  });

  it('of every region name no template', () => {
    const { everyRegion } = collector.configuration;

    expect(everyRegion?.safeParse({ launch_templates: 'all' }).success).toBe(true);
    expect(everyRegion?.safeParse({ launch_templates: ['lt-1'] }).success).toBe(false);
  });

  it('watch no template by default, and at most 1,000 that are found', () => {
    expect(collector.configuration.region.parse({})).toEqual({
      launch_templates: [],
      max_launch_templates: 1_000,
    });
  });
});

describe('the record of a template', () => {
  it('tells and counts its changes, and counts from zero again', () => {
    const { record, changes } = after(target, ...moved);
    const counters = { defaultVersionChanges: 1, versionsCreated: 2, versionsDeleted: 1 };
    const zero = { defaultVersionChanges: 0, versionsCreated: 0, versionsDeleted: 0 };

    expect(changes.map((change) => collectors.changeText(change))).toEqual([
      'version 3 created',
      'version 4 created',
      'version 1 deleted',
      'default version changed from 1 to 3',
    ]);
    expect(record).toMatchObject(counters);
    expect(collector.countFromZero(record)).toEqual({ ...record, ...zero });
  });

  it('of another account is a new beginning', () => {
    const [first, second] = moved;

    const { record, changes } = after(target, { ...first, appId: 7 }, { ...second, appId: 8 });

    expect(changes).toEqual([]);
    expect(record).toMatchObject({ lastDefaultVersion: 3, defaultVersionChanges: 0 });
  });

  it('goes on with what the list says now', () => {
    const { record } = after(target, ...moved);
    const next = { ...target, listed };

    expect(collector.continueRecord(record, next)).toEqual({ ...record, target: next });
  });

  it.each([target, { ...target, listed }, { ...target, listed: null }])(
    'is stored, and read again',
    (own) => {
      const { record } = after(own, ...moved);

      expect(parseRecord(formatRecord(record), collectors)).toEqual(asStored(record));
    },
  );

  it('that an older version stored says nothing about the list', () => {
    const { record } = after(target, ...moved);
    const { readAs: _readAs, ...older } = record as typeof record & { readAs: unknown };

    expect(parseRecord(formatRecord(older), collectors)).toMatchObject({ readAs: null });
  });

  it('is shown in JSON', () => {
    expect(collector.json(versions([1, 2], 2))).toEqual({
      versions: [1, 2],
      default_version: {
        version: 2,
        image_id: 'img-8toqc6s3',
        instance_type: 'S5.2XLARGE16',
        charge_type: 'POSTPAID_BY_HOUR',
      },
    });
    expect(collector.json(withoutDefault)).toMatchObject({ default_version: null });
  });
});

describe('the metrics of a template', () => {
  const values = (record: TargetRecord, isFresh = true) =>
    Object.fromEntries(
      collector.families.map(({ name, samples }) => [
        name.replace('cvm_launch_template_', ''),
        samples(viewOf(record, { isFresh })).map(({ value }) => value),
      ]),
    );
  const info = (record: TargetRecord) => collector.families.at(-1)?.samples(viewOf(record));

  it('are its versions, their default, and its changes', () => {
    const { record } = after(target, moved[0], { ...moved[1], unidentified: 2 });

    expect(values(record)).toEqual({
      default_version: [3],
      latest_version: [4],
      versions: [5],
      default_version_changes_total: [1],
      default_version_change_timestamp_seconds: [atMs / 1_000],
      versions_created_total: [2],
      versions_deleted_total: [0],
      default_version_info: [1],
    });
  });

  it('are counters alone before an answer, and once the last one is too old', () => {
    const counters = {
      default_version: [],
      latest_version: [],
      versions: [],
      default_version_changes_total: [0],
      default_version_change_timestamp_seconds: [],
      versions_created_total: [0],
      versions_deleted_total: [0],
      default_version_info: [],
    };

    expect(values(collector.newRecord(target))).toEqual(counters);
    expect(values(after(target, moved[0]).record, false)).toEqual(counters);
  });

  it('have no default version where it is unknown', () => {
    const { record } = after(target, withoutDefault);

    expect(values(record)).toMatchObject({
      default_version: [],
      default_version_info: [],
      versions: [2],
    });
  });

  it('name the data of the default version, and the template if a list found it', () => {
    const labels = {
      template_name: null,
      version: 1,
      image_id: 'img-8toqc6s3',
      instance_type: 'S5.2XLARGE16',
      charge_type: 'POSTPAID_BY_HOUR',
    };

    expect(info(after(target, moved[0]).record)).toEqual([{ labels, value: 1 }]);
    expect(info(after({ ...target, listed }, moved[0]).record)).toMatchObject([
      { labels: { template_name: 'web' } },
    ]);
  });
});

describe('the row of a template in the table', () => {
  const cells = (...answers: LaunchTemplateSnapshot[]) =>
    collector.table?.cells(after(target, ...answers).record);

  it('has the default, latest and number of versions, and what the default runs', () => {
    expect(cells({ ...moved[1], unidentified: 1 })).toEqual([
      { text: '3' },
      { text: '4' },
      { text: '4' },
      { text: 'S5.2XLARGE16', detail: 'img-8toqc6s3 POSTPAID_BY_HOUR' },
    ]);
  });

  it('has a column for each', () => {
    const { table } = collector;
    const columns = table?.columns.map(({ label, isNumber = false }) => [label, isNumber]);

    expect(table?.nameLabel).toBe('Template');
    expect(columns).toEqual([
      ['Default', true],
      ['Latest', true],
      ['Versions', true],
      ['Default runs', false],
    ]);
  });

  it('shows a default version without data', () => {
    const data = { imageId: '', instanceType: '', chargeType: '' };

    expect(cells(versions([1], 1, data))?.at(-1)).toEqual({ text: '–', detail: '' });
    expect(cells(versions([1], 1, { ...data, imageId: 'img-1' }))?.at(-1)).toMatchObject({
      detail: 'img-1',
    });
  });

  it('is empty without an answer, a default version, or a version', () => {
    expect(cells()).toEqual([null, null, null, null]);
    expect(cells(withoutDefault)).toEqual([null, { text: '2' }, { text: '2' }, null]);
    expect(cells({ ...withoutDefault, versions: [] })).toMatchObject([
      null,
      { text: '0' },
      { text: '0' },
      null,
    ]);
  });
});
