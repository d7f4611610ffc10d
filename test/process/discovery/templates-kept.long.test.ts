/** What discovery keeps of the launch templates: over a restart, a reload, and other selections. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  countByAction,
  idOf,
  oneRegion,
  region,
  startStage,
  template,
  templates,
} from './stage.ts';

const lists = 'DescribeLaunchTemplates';
const versions = 'DescribeLaunchTemplateVersions';

type Selection = 'all' | { names?: string[]; tags?: Record<string, string> };

const watching = (launch_templates: Selection, others: object = {}) => ({
  quota_types: [],
  regions: [{ name: region, launch_templates, ...others }],
});

const existing = (samples: readonly { labels: Readonly<Record<string, string>> }[]) =>
  samples.map(({ labels }) => labels.template_id ?? '').sort();

describe('a restart', () => {
  test('shows the templates at once, asks only for the list, and counts what happened meanwhile once', async () => {
    const first = await startStage({
      regions: oneRegion(templates(3)),
      account: watching('all'),
    });
    first.emulator.do({ do: 'delete-template', region, template_id: idOf(3) });
    await first.cycle();
    await first.monitor.daemon.stop();
    const kept = ({ directory }: { directory: string }) =>
      cp(join(first.monitor.directory, 'data'), join(directory, 'data'), { recursive: true });

    // While nothing ran, another one was deleted and one was created.
    const second = await startStage({
      regions: oneRegion([template(1), template(4)]),
      account: watching('all'),
      prepare: kept,
      waitsForFirstCycle: false,
    });
    const shown = await second.samples();
    expect(existing(shown.matching('cvm_launch_template_default_version'))).toEqual(
      expect.arrayContaining([idOf(1)]),
    );
    await second.monitor.until(async () => (await second.monitor.get('/-/ready')).ok);
    // The versions of what the list lacks for the first time are asked for, too.
    expect(countByAction(second.gateway.requests)).toEqual({ [lists]: 1, [versions]: 2 });
    await second.cycle();
    const exposed = await second.samples();
    expect(exposed.value('cvm_launch_templates_deleted_total')).toBe(2);
    expect(exposed.value('cvm_launch_templates_created_total')).toBe(1);
    expect(
      exposed.value('cvm_launch_template_versions_created_total', { template_id: idOf(1) }),
    ).toBe(0);
    expect((await second.changes()).toSorted()).toEqual([
      `template-created ${idOf(4)}`,
      `template-deleted ${idOf(2)}`,
      `template-deleted ${idOf(3)}`,
    ]);
  });

  test('shows the changes of found templates again', async () => {
    const first = await startStage({ regions: oneRegion(templates(2)), account: watching('all') });
    first.emulator.do({ do: 'set-default-version', region, template_id: idOf(2), version: 1 });
    await first.cycle();
    const before = await first.changes();
    await first.monitor.daemon.stop();

    const second = await startStage({
      regions: oneRegion(templates(2)),
      account: watching('all'),
      prepare: ({ directory }) =>
        cp(join(first.monitor.directory, 'data'), join(directory, 'data'), { recursive: true }),
      waitsForFirstCycle: false,
    });

    expect(before).toHaveLength(1);
    expect(await second.changes()).toEqual(expect.arrayContaining([...before]));
  });

  test('is ready although the list fails, with the last known templates', async () => {
    const first = await startStage({ regions: oneRegion(templates(3)), account: watching('all') });
    await first.monitor.daemon.stop();

    const second = await startStage({
      regions: [],
      account: watching('all'),
      prepare: ({ directory }) =>
        cp(join(first.monitor.directory, 'data'), join(directory, 'data'), { recursive: true }),
    });

    expect(countByAction(second.gateway.requests)).toEqual({ [lists]: 1 });
    const exposed = await second.samples();
    expect(exposed.matching('cvm_launch_template_default_version')).toHaveLength(3);
    expect(exposed.value('cvm_monitor_target_up', { operation: lists })).toBe(0);
  });
});

describe('a selection', () => {
  const regions = oneRegion([
    template(1, { name: 'web-a', tags: { env: 'prod' } }),
    template(2, { name: 'web-b', tags: { env: 'test' } }),
    template(3, { name: 'batch (1+1)', tags: { env: 'prod', team: 'data' } }),
    template(4, { name: 'my-web-a', tags: {} }),
  ]);

  test.each<[string, Selection, number[]]>([
    ['a pattern of names', { names: ['web-*'] }, [1, 2]],
    ['several patterns', { names: ['*-b', '*web*a'] }, [1, 2, 4]],
    ['a whole name with special characters', { names: ['batch (1+1)'] }, [3]],
    ['a tag', { tags: { env: 'prod' } }, [1, 3]],
    ['all tags', { tags: { env: 'prod', team: 'data' } }, [3]],
    ['names and tags', { names: ['web-*'], tags: { env: 'prod' } }, [1]],
    ['names that no template has', { names: ['web'] }, []],
  ])('by %s watches these templates', async (_name, selection, expected) => {
    const { samples } = await startStage({ regions, account: watching(selection) });

    const exposed = await samples();
    expect(existing(exposed.matching('cvm_launch_template_default_version'))).toEqual(
      expected.map(idOf),
    );
    expect(exposed.value('cvm_launch_templates')).toBe(expected.length);
  });

  test('that a reload changes begins a baseline, and what stays is not asked for again', async () => {
    const account = watching({ names: ['web-a', 'batch*'] });
    const { monitor, gateway, samples, cycle, changes } = await startStage({ regions, account });
    const sent = gateway.requests.length;

    account.regions = watching({ names: ['web-*'] }).regions;
    await monitor.daemon.reload();
    await cycle();

    expect(countByAction(gateway.requests.slice(sent))).toEqual({ [lists]: 1, [versions]: 1 });
    expect((await samples()).value('cvm_launch_templates')).toBe(2);
    expect(existing((await samples()).matching('cvm_launch_template_default_version'))).toEqual(
      [1, 2].map(idOf),
    );
    expect(await changes()).toEqual([]);
  });

  test('that returns after a reload continues the counters, and asks only for the list', async () => {
    const account = watching('all');
    const { monitor, gateway, samples, cycle, emulator } = await startStage({ regions, account });
    emulator.do({ do: 'delete-template', region, template_id: idOf(4) });
    await cycle();
    await cycle();

    const { regions: discovered } = account;
    Object.assign(account, { quota_types: ['image'], regions: [region] });
    await monitor.daemon.reload();
    expect((await samples()).matching('cvm_launch_templates')).toEqual([]);
    const sent = gateway.requests.length;
    Object.assign(account, { quota_types: [], regions: discovered });
    await monitor.daemon.reload();
    await cycle();

    expect(Object.keys(countByAction(gateway.requests.slice(sent)))).toEqual([lists]);
    expect((await samples()).value('cvm_launch_templates_deleted_total')).toBe(1);
    expect((await samples()).matching('cvm_launch_template_default_version')).toHaveLength(3);
  });
});

describe('max_launch_templates', () => {
  test('bounds the watched templates, keeps those that are watched, and is reported', async () => {
    const { samples, cycle, emulator } = await startStage({
      regions: oneRegion([5, 6, 7].map((n) => template(n))),
      account: watching('all', { max_launch_templates: 3 }),
    });
    const watched = async () =>
      existing((await samples()).matching('cvm_launch_template_default_version'));
    const incomplete = async () =>
      (await samples()).value('cvm_monitor_target_incomplete', { operation: lists });
    expect(await incomplete()).toBe(0);

    emulator.do({
      do: 'create-template',
      region,
      template_id: idOf(1),
      default_version: 1,
      versions: [1],
    });
    await cycle();
    expect(await watched()).toEqual([5, 6, 7].map(idOf));
    expect((await samples()).value('cvm_launch_templates')).toBe(4);
    expect((await samples()).value('cvm_launch_templates_created_total')).toBe(1);
    expect(await incomplete()).toBe(1);

    emulator.do({ do: 'delete-template', region, template_id: idOf(6) });
    await cycle();
    await cycle();
    expect(await watched()).toEqual([1, 5, 7].map(idOf));
    expect(await incomplete()).toBe(0);
  });

  test('does not bound the list: 1,000 templates are read with 10 requests in a quiet cycle', async () => {
    const { samples, cycle } = await startStage({
      regions: oneRegion(templates(1_000)),
      account: watching('all', { max_launch_templates: 2 }),
    });

    expect(await cycle()).toEqual({ [lists]: 10 });
    expect((await samples()).value('cvm_launch_templates')).toBe(1_000);
  });
});
