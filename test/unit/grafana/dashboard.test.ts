import { join } from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { dashboardQueries, type DashboardQuery } from '../../support/dashboard-queries.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { familyOf, knownMetrics, unknownMetrics } from '../../support/exposed-metrics.ts';
import { hasProgram } from '../../support/programs.ts';
import { runProgram } from '../../support/run-program.ts';

interface ImportedPanel {
  readonly id?: number;
  readonly panels?: readonly ImportedPanel[];
}
interface ImportedDashboard {
  readonly panels: readonly ImportedPanel[];
  readonly __inputs: readonly unknown[];
  readonly templating: {
    readonly list: readonly {
      readonly name: string;
      readonly type: string;
      readonly current?: { readonly value: string };
    }[];
  };
  readonly annotations: {
    readonly list: readonly { readonly expr?: string; readonly useValueForTime?: boolean }[];
  };
}

const configDirectory = join(import.meta.dirname, '../../../config');
const dashboardPath = join(configDirectory, 'grafana/dashboard.json');
let queries: readonly DashboardQuery[];

beforeAll(async () => {
  queries = await dashboardQueries();
});

test('every metric is on a panel, in a rule, or listed as for debugging', async () => {
  const rules = await readFile(join(configDirectory, 'prometheus/rules.yaml'), 'utf8');
  const reference = await readFile(join(configDirectory, '../docs/metrics.md'), 'utf8');
  const debugging = reference.slice(reference.indexOf('## For debugging'));
  const text = [...queries.map(({ expr }) => expr), rules, debugging].join('\n');
  const names = new Set([...text.matchAll(/\bcvm_\w+/g)].map(([name]) => familyOf(name)));

  const ours = [...knownMetrics()].filter((name) => name.startsWith('cvm_'));
  expect(ours.filter((name) => !names.has(name))).toEqual([]);
});

test('every panel has an id of its own', async () => {
  const { panels } = JSON.parse(await readFile(dashboardPath, 'utf8')) as ImportedDashboard;
  const ids = panels.flatMap(({ id, panels: inner = [] }) => [id, ...inner.map((each) => each.id)]);

  expect(ids.every(Number.isInteger)).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
});

it('the queries of the dashboard are narrowed by job, cluster and namespace', () => {
  const ofDaemons = queries.filter(({ expr }) => /cvm_(?!.*label_values)/.test(expr));
  const wide = ofDaemons.filter(
    ({ kind, expr }) => kind !== 'variable' && !/job=~.*cluster=~.*namespace=~/s.test(expr),
  );

  expect(wide).toEqual([]);
});

it('the queries of the dashboard leave muted quotas out of the exhausted ones', async () => {
  const [muted, low] = ['muted', 'low'].map(
    (account) => `account="${account}",region="r",quota_type="image",unit="images"`,
  );
  const path = join(await temporaryDirectory(), 'exhausted.test.yaml');
  const values = '0x5';
  const series = [
    { series: `cvm_quota_remaining{${muted}}`, values },
    { series: `cvm_quota_limit{${muted}}`, values: '9x5' },
    { series: `cvm_quota_remaining{${low}}`, values },
    { series: `cvm_quota_limit{${low}}`, values: '9x5' },
    { series: `cvm_quota_remaining_threshold{${low},severity="critical"}`, values: '1x5' },
  ];
  const expr = queries.find(({ name }) => name === 'Quotas exhausted')?.expr;
  const expected = { expr, eval_time: '4m', exp_samples: [{ labels: '{}', value: 1 }] };
  const tests = [{ interval: '1m', input_series: series, promql_expr_test: [expected] }];
  await writeFile(path, stringify({ evaluation_interval: '1m', tests }));

  expect(await runProgram('promtool', ['test', 'rules', path])).toContain('SUCCESS');
});

it('the queries of the dashboard name only metrics that the daemon exposes', () => {
  expect(queries.flatMap(({ expr }) => unknownMetrics(expr))).toEqual([]);
});

it('the queries of the dashboard show every quota when no zone is chosen, and those without a zone when one is', async () => {
  const chosen = await dashboardQueries({ zone: 'ap-guangzhou-3' });

  const exprOf = (all: readonly DashboardQuery[]) =>
    all.find(({ name }) => name === 'Used and limit')?.expr;
  expect(exprOf(queries)).toContain('zone=~".*|"');
  expect(exprOf(chosen)).toContain('zone=~"ap-guangzhou-3|"');
});

it('the queries of the dashboard narrow what is shown by account, and by region where there is one', () => {
  const unfiltered = queries
    .filter(({ expr }) => expr.includes('cvm_quota') || expr.includes('cvm_launch_template'))
    .filter(({ expr }) => !expr.includes('account=~') || !expr.includes('region=~'));

  expect(unfiltered).toEqual([]);
});

describe.runIf(hasProgram('promtool', 'prometheus'))('promtool', () => {
  it.each([
    {
      what: 'a limit that was lowered',
      title: 'Limits lowered',
      counter:
        'cvm_quota_limit_changes_total{account="a",region="r",quota_type="image",unit="images",direction="lowered"}',
    },
    {
      what: 'a default version that changed',
      title: 'Default versions changed',
      counter:
        'cvm_launch_template_default_version_changes_total{account="a",region="r",template_id="t"}',
    },
  ])('counts $what while its pod moved', async ({ title, counter }) => {
    const of = (pod: string) => counter.replace('}', `,instance="${pod}",pod="${pod}"}`);
    const path = join(await temporaryDirectory(), 'moved.test.yaml');
    const expr = queries.find(({ name }) => name === title)?.expr;
    await writeFile(
      path,
      stringify({
        evaluation_interval: '1m',
        tests: [
          {
            interval: '1m',
            input_series: [
              { series: of('one'), values: '4x20 stale' },
              { series: of('two'), values: '_x30 5x60' },
            ],
            promql_expr_test: [
              { expr, eval_time: '55m', exp_samples: [{ labels: '{}', value: 1 }] },
              { expr, eval_time: '95m', exp_samples: [{ labels: '{}', value: 0 }] },
            ],
          },
        ],
      }),
    );

    expect(await runProgram('promtool', ['test', 'rules', path])).toContain('SUCCESS');
  });
});

it('an import asks for the data source, and for nothing else', async () => {
  const text = await readFile(dashboardPath, 'utf8');
  const { __inputs: inputs, templating } = JSON.parse(text) as ImportedDashboard;

  const asked = [...text.matchAll(/\$\{((?:DS|VAR)_\w+)\}/g)].map(([, name]) => name);
  expect(inputs).toMatchObject([
    { name: 'DS_PROMETHEUS', type: 'datasource', pluginId: 'prometheus' },
  ]);
  expect(new Set(asked)).toEqual(new Set(['DS_PROMETHEUS']));
  expect(templating.list.find(({ name }) => name === 'datasource')?.current?.value).toBe(
    '${DS_PROMETHEUS}',
  );
});

it('an import links only to addresses that are variables', async () => {
  const text = await readFile(dashboardPath, 'utf8');
  const { templating } = JSON.parse(text) as ImportedDashboard;

  const addresses = [...text.matchAll(/"url": "\$\{(\w+)\}/g)].map(([, name]) => name);
  const constants = templating.list.filter(({ type }) => type === 'constant');
  expect(new Set(addresses)).toEqual(new Set(constants.map(({ name }) => name)));
  expect(text.match(/"url": "(?!\$\{)/g)).toBeNull();
});

it('the marks are at the times that the daemon gives, so that no step of a graph misses them', async () => {
  const { annotations } = JSON.parse(await readFile(dashboardPath, 'utf8')) as ImportedDashboard;

  const marks = annotations.list.filter(({ expr }) => expr !== undefined);
  expect(marks.map(({ useValueForTime }) => useValueForTime)).toEqual([true, true]);
  expect(marks.every(({ expr }) => expr?.includes('_change_timestamp_seconds'))).toBe(true);
});

it('the provisioning gives the data source a uid of its own and finds the dashboard', async () => {
  const read = async (path: string): Promise<unknown> =>
    parse(await readFile(join(configDirectory, 'grafana/provisioning', path), 'utf8'));

  expect(await read('datasources/prometheus.yaml')).toMatchObject({
    apiVersion: 1,
    datasources: [{ uid: 'cvm-prometheus', type: 'prometheus' }],
  });
  expect(await read('dashboards/cvm-quota-monitor.yaml')).toMatchObject({
    apiVersion: 1,
    providers: [{ type: 'file', options: { path: '/var/lib/grafana/dashboards' } }],
  });
});
