/** What a daemon with discovery says about templates that an answer lacks, renames, or replaces. */
import { expect, test } from 'vitest';
import { type Gateway, edited, startGateway } from '../support/stub-service.ts';
import { startMonitor } from '../support/monitor.ts';
import { Samples } from '../support/exposition.ts';

const list = 'DescribeLaunchTemplates';
const region = 'ap-guangzhou';
const ids = ['lt-000001aa', 'lt-000002aa'] as const;

interface Row {
  readonly LaunchTemplateId: string;
  readonly LaunchTemplateName?: string;
}

/** A daemon that finds `web-1`, `web-2` and so on by itself, and a service that lists others than it has. */
async function startDiscovery(names?: string[]) {
  const launch_templates = ids.map((id, i) => ({
    id,
    name: `web-${i + 1}`,
    default_version: 2,
    versions: [1, 2, 5],
  }));
  const zones = [{ name: `${region}-3` }];
  const gateways: Gateway[] = [];
  const monitor = await startMonitor({
    scenario: {
      accounts: [{ name: 'production', regions: [{ name: region, zones, launch_templates }] }],
    },
    serviceUrl: async (emulator) => {
      gateways.push(await startGateway(emulator));
      return gateways[0]!.url;
    },
    config: ({ endpoint }) => ({
      api: { endpoint, max_attempts: 1 },
      accounts: [
        {
          name: 'production',
          credentials: { type: 'none' },
          quota_types: [],
          regions: [{ name: region, launch_templates: names === undefined ? 'all' : { names } }],
        },
      ],
    }),
  });
  const samples = async () => new Samples(await monitor.text());
  const cycles = async () => (await samples()).sum('cvm_monitor_cycles_total');
  const found = async () =>
    (
      (await monitor.json('/api/v1/changes')) as {
        changes: { kind: string; from: number | string | null; to: number | string | null }[];
      }
    ).changes;
  return {
    monitor,
    samples,
    found,
    value: async (name: string) => (await samples()).value(name, { region }),
    incomplete: async () =>
      (await samples()).value('cvm_monitor_target_incomplete', { operation: list }),
    /** The kinds and values of all changes, oldest first. */
    changes: async () =>
      (await found()).toReversed().map(({ kind, from, to }) => `${kind} ${from ?? to ?? ''}`),
    cycle: async (afterMs = 1_000) => {
      const before = await cycles();
      monitor.clock.advance(afterMs);
      monitor.schedule.due();
      await monitor.until(async () => (await cycles()) > before);
    },
    page: async () => (await monitor.get('/')).text(),
    /** From now on, the service lists this. */
    listing: (edit: (rows: readonly Row[]) => readonly Row[]) => {
      gateways[0]!.replacementFor = ({ query }) =>
        query.Action !== list
          ? null
          : edited((fields) => {
              const rows = edit(fields.LaunchTemplateSet as Row[]);
              Object.assign(fields, { LaunchTemplateSet: rows, TotalCount: rows.length });
            });
    },
  };
}

test('a list that has none of the known templates is one change with both numbers', async () => {
  const { changes, cycle, found, listing, page, value } = await startDiscovery();

  listing((rows) =>
    [...rows, ...rows.slice(1)].map((row, i) => ({ ...row, LaunchTemplateId: `lt-other${i}` })),
  );
  await cycle();

  expect(await found()).toMatchObject([{ kind: 'list-replaced', from: 2, to: 3 }]);
  expect(await changes()).toHaveLength(1);
  expect(await page()).toContain('none of 2 known launch templates is listed, but 3 others are');
  expect(await value('cvm_launch_templates_replaced_total')).toBe(1);
  expect(await value('cvm_launch_templates_deleted_total')).toBe(0);
});

test('a template that is renamed out of the selection has left it, and is not deleted', async () => {
  const { changes, cycle, found, listing, samples, value } = await startDiscovery(['web-*']);
  const rename = (name: string) => (rows: readonly Row[]) =>
    rows.map((row, i) => (i === 0 ? { ...row, LaunchTemplateName: name } : row));

  listing(rename('web-new'));
  await cycle();
  listing(rename('old'));
  await cycle();
  await cycle();

  expect(await changes()).toEqual(['template-renamed web-1', 'template-left-selection web-new']);
  expect(await found()).toMatchObject([{ template_id: ids[0], from: 'web-new', to: 'old' }, {}]);
  expect(await value('cvm_launch_templates_left_selection_total')).toBe(1);
  expect(await value('cvm_launch_templates_deleted_total')).toBe(0);
  expect((await samples()).matching('cvm_launch_template_default_version')).toHaveLength(1);
});

test('a selection that matches no template is incomplete, and is named', async () => {
  const { incomplete, monitor, page } = await startDiscovery(['batch']);

  expect(await incomplete()).toBe(1);
  expect(await page()).toContain('no launch template matches names batch');
  expect(JSON.stringify(await monitor.json('/api/v1/targets'))).toContain(
    'no launch template matches names batch',
  );
});
