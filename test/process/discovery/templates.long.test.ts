/** The discovery of launch templates, from the service to the metrics. */
import { describe, expect, test } from 'vitest';
import { edited, instead } from '../../support/gateway.ts';
import type { StubRequest } from '../../support/stub-service.ts';
import { idOf, oneRegion, region, startStage, template, templates } from './stage.ts';

const lists = 'DescribeLaunchTemplates';
const versions = 'DescribeLaunchTemplateVersions';
const minuteMs = 60_000;
const everyTemplate = {
  quota_types: [],
  regions: [{ name: region, launch_templates: 'all' as const }],
};
const place = { account: 'production', region };

describe('launch_templates: all', () => {
  test('watches every template that the region has', async () => {
    const { samples, changes } = await startStage({
      regions: oneRegion(templates(3)),
      account: everyTemplate,
    });

    const exposed = await samples();
    expect(exposed.value('cvm_launch_templates', place)).toBe(3);
    expect(exposed.sum('cvm_launch_template_default_version', place)).toBe(6);
    expect(exposed.value('cvm_launch_templates_created_total', place)).toBe(0);
    expect(
      exposed.value('cvm_launch_template_default_version_info', { template_id: idOf(2) }),
    ).toBe(1);
    expect(
      exposed.value('cvm_launch_template_default_version_info', { template_name: 'web-2' }),
    ).toBe(1);
    expect(await changes()).toEqual([]);
  });

  test('asks in a quiet cycle only for the list, and keeps every template fresh', async () => {
    const { samples, cycle } = await startStage({
      regions: oneRegion(templates(3)),
      account: everyTemplate,
      poll: { stale_after: '3s' },
    });

    for (let i = 0; i < 4; i += 1) expect(await cycle()).toEqual({ [lists]: 1 });

    const exposed = await samples();
    expect(exposed.matching('cvm_launch_template_default_version', place)).toHaveLength(3);
    expect(exposed.sum('cvm_monitor_target_up', { operation: versions })).toBe(3);
  });

  test('asks for the versions of the templates whose numbers moved, and finds their changes', async () => {
    const { emulator, samples, cycle, changes } = await startStage({
      regions: oneRegion(templates(5)),
      account: everyTemplate,
    });
    const of = (n: number) => ({ region, template_id: idOf(n) });

    emulator.do({ do: 'set-default-version', ...of(1), version: 5 });
    emulator.do({ do: 'create-version', ...of(2) });
    emulator.do({ do: 'delete-version', ...of(3), version: 1 });

    expect(await cycle()).toEqual({ [lists]: 1, [versions]: 3 });
    expect(new Set(await changes())).toEqual(
      new Set(['default-version-changed 2', 'version-created 6']),
    );
    const exposed = await samples();
    const value = (name: string, n: number) =>
      exposed.value(`cvm_launch_template_${name}`, { template_id: idOf(n) });
    expect(value('default_version', 1)).toBe(5);
    expect(value('default_version_changes_total', 1)).toBe(1);
    expect(value('latest_version', 2)).toBe(6);
    expect(value('versions', 3)).toBe(2);
    // What one poll lacks is read again.
    expect(await cycle()).toEqual({ [lists]: 1, [versions]: 1 });
    expect(await changes()).toContain('version-deleted 1');
    expect(await cycle()).toEqual({ [lists]: 1 });
  });

  test('asks for the versions of each template once an hour, not for all at the same time', async () => {
    const count = 40;
    const { cycle } = await startStage({
      regions: oneRegion(templates(count)),
      account: everyTemplate,
    });

    const asked: number[] = [];
    for (let i = 0; i < 12; i += 1) {
      const { [versions]: requests = 0 } = await cycle(5 * minuteMs);
      asked.push(requests);
    }

    expect(asked.reduce((sum, each) => sum + each, 0)).toBe(count);
    expect(Math.max(...asked)).toBeLessThan(count / 3);
  });

  test('counts a template that was created and one that was deleted, and shows only those that exist', async () => {
    const { emulator, samples, cycle, changes } = await startStage({
      regions: oneRegion(templates(3)),
      account: everyTemplate,
    });

    emulator.do({ do: 'delete-template', region, template_id: idOf(1) });
    emulator.do({
      do: 'create-template',
      region,
      template_id: idOf(4),
      default_version: 1,
      versions: [1],
    });

    expect(await cycle()).toEqual({ [lists]: 1, [versions]: 2 });
    expect(await changes()).toEqual([`template-created ${idOf(4)}`]);
    expect(await cycle()).toEqual({ [lists]: 1 });
    expect(new Set(await changes())).toEqual(
      new Set([`template-created ${idOf(4)}`, `template-deleted ${idOf(1)}`]),
    );
    const exposed = await samples();
    expect(exposed.value('cvm_launch_templates', place)).toBe(3);
    expect(exposed.value('cvm_launch_templates_created_total', place)).toBe(1);
    expect(exposed.value('cvm_launch_templates_deleted_total', place)).toBe(1);
    expect(exposed.all.filter(({ labels }) => labels.template_id === idOf(1))).toEqual([]);
    const created = { template_id: idOf(4) };
    expect(exposed.value('cvm_launch_template_default_version', created)).toBe(1);
    expect(exposed.value('cvm_launch_template_versions_created_total', created)).toBe(0);
    expect(await cycle()).toEqual({ [lists]: 1 });
    expect(await changes()).toHaveLength(2);
  });

  test('asks again for a template whose last poll failed, also when the list shows no difference', async () => {
    const { gateway, samples, cycle } = await startStage({
      regions: oneRegion(templates(2)),
      account: everyTemplate,
    });
    const failed = { code: 'InvalidResponse', template_id: idOf(1) };
    const replaceVersions = ({ query }: StubRequest) =>
      query.LaunchTemplateId === idOf(1) ? instead('{}') : null;

    gateway.replacementFor = (request) =>
      request.query.Action === lists
        ? edited((fields) => {
            fields.LaunchTemplateSet[0] = {};
          })
        : replaceVersions(request);
    expect(await cycle()).toEqual({ [lists]: 1, [versions]: 1 });
    gateway.replacementFor = replaceVersions;
    expect(await cycle()).toEqual({ [lists]: 1, [versions]: 1 });
    expect((await samples()).value('cvm_monitor_poll_failures_total', failed)).toBe(2);

    gateway.replacementFor = () => null;
    expect(await cycle()).toEqual({ [lists]: 1, [versions]: 1 });
    expect(await cycle()).toEqual({ [lists]: 1 });
  });
});

describe('an answer that is not the whole truth', () => {
  /** Edits the list of each page. */
  const listed =
    (edit: Parameters<typeof edited>[0]) =>
    ({ query }: StubRequest) =>
      query.Action === lists ? edited(edit) : null;

  test.each<[string, Parameters<typeof edited>[0]]>([
    [
      'without the set',
      (fields) => {
        delete fields.LaunchTemplateSet;
      },
    ],
    [
      'with an empty set, but a total',
      (fields) => {
        fields.LaunchTemplateSet = [];
      },
    ],
    [
      'with an empty set and no total',
      (fields) => {
        fields.LaunchTemplateSet = [];
        delete fields.TotalCount;
      },
    ],
    [
      'with a set of another type',
      (fields) => {
        fields.LaunchTemplateSet = 'none';
      },
    ],
    [
      'with rows that cannot be read',
      (fields) => {
        fields.LaunchTemplateSet = [{}, {}, {}];
      },
    ],
    [
      'with IDs that cannot be IDs',
      (fields) => {
        for (const row of fields.LaunchTemplateSet) row.LaunchTemplateId = '../../etc/passwd';
      },
    ],
    [
      'with an error',
      (fields) => {
        fields.Error = { Code: 'UnauthorizedOperation', Message: 'no' };
      },
    ],
  ])('%s deletes nothing, and shows the templates until they are stale', async (_name, edit) => {
    const { gateway, samples, cycle, changes } = await startStage({
      regions: oneRegion(templates(3)),
      account: everyTemplate,
    });
    const shown = async () =>
      (await samples()).matching('cvm_launch_template_default_version', place).length;

    gateway.replacementFor = listed(edit);
    expect((await cycle())[versions]).toBeUndefined();
    expect(await shown()).toBe(3);
    expect((await samples()).value('cvm_monitor_target_up', { operation: lists })).toBe(0);

    await cycle(15 * minuteMs);
    expect(await shown()).toBeLessThan(3);

    gateway.replacementFor = () => null;
    await cycle();
    expect(await shown()).toBe(3);
    expect((await samples()).sum('cvm_launch_templates_deleted_total')).toBe(0);
    expect(await changes()).toEqual([]);
  });

  test('with a row that cannot be read hides one template, and still asks for its versions', async () => {
    const { gateway, samples, cycle, changes } = await startStage({
      regions: oneRegion(templates(3)),
      account: everyTemplate,
    });

    gateway.replacementFor = listed((fields) => {
      fields.LaunchTemplateSet[1] = {};
    });

    expect(await cycle()).toEqual({ [lists]: 1, [versions]: 1 });
    const exposed = await samples();
    expect(exposed.value('cvm_launch_templates', place)).toBe(3);
    expect(exposed.sum('cvm_monitor_target_up', { operation: versions })).toBe(3);
    expect(exposed.value('cvm_monitor_target_incomplete', { operation: lists })).toBe(1);
    expect(await changes()).toEqual([]);
  });

  test('with numbers that cannot be read asks for the versions', async () => {
    const { gateway, cycle } = await startStage({
      regions: oneRegion(templates(3)),
      account: everyTemplate,
    });

    gateway.replacementFor = listed((fields) => {
      fields.LaunchTemplateSet[0].LatestVersionNumber = 'five';
    });

    expect(await cycle()).toEqual({ [lists]: 1, [versions]: 1 });
    expect(await cycle()).toEqual({ [lists]: 1, [versions]: 1 });
  });

  test('with odd names shows them, and breaks nothing', async () => {
    const name = 'say "größe" \\ 模板\n# TYPE x counter\u202e\u0000';
    const { samples } = await startStage({
      regions: oneRegion([template(1, { name })]),
      account: everyTemplate,
    });

    const [info] = (await samples()).matching('cvm_launch_template_default_version_info');
    expect(info?.labels.template_name).toBe('say "größe" \\ 模板 # TYPE x counter');
  });

  test('that shifts while it is read loses no template and counts none twice', async () => {
    const { gateway, monitor, emulator, samples, cycle, changes } = await startStage({
      regions: oneRegion(templates(250)),
      account: {
        quota_types: [],
        regions: [{ name: region, launch_templates: 'all', max_launch_templates: 1 }],
      },
    });
    let isShifted = false;
    gateway.replacementFor = ({ query }) => {
      if (query.Action !== lists || query.Offset !== '100' || isShifted) return null;
      // The first page is read already. From now on, the second one begins one row later.
      isShifted = true;
      emulator.do({ do: 'delete-template', region, template_id: idOf(7) });
      emulator.do({
        do: 'create-template',
        region,
        template_id: idOf(900),
        default_version: 1,
        versions: [1],
      });
      return (response, _body, { path, headers }) => {
        response.end(monitor.emulator.handle({ method: 'GET', target: path, headers }).body);
      };
    };

    await cycle();

    expect(isShifted).toBe(true);
    expect(await changes()).toEqual([`template-created ${idOf(900)}`]);
    await cycle();
    await cycle();
    expect(new Set(await changes())).toEqual(
      new Set([`template-deleted ${idOf(7)}`, `template-created ${idOf(900)}`]),
    );
    expect((await samples()).value('cvm_launch_templates')).toBe(250);
  });
});
