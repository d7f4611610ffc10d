import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { dashboardQueries, type DashboardQuery } from '../../support/dashboard-queries.ts';
import { unknownMetrics } from '../../support/exposed-metrics.ts';

interface ImportedPanel {
  readonly id?: number;
  readonly title?: string;
  readonly collapsed?: boolean;
  readonly transformations?: readonly {
    readonly id: string;
    readonly options: { readonly include?: { readonly names: readonly string[] } };
  }[];
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
const text = readFileSync(join(configDirectory, 'grafana/dashboard.json'), 'utf8');
const dashboard = JSON.parse(text) as ImportedDashboard;
const queries = await dashboardQueries();

test('the dashboard begins with the launches that fail next and the scaling groups, then the quotas that are low, and folds the monitor itself', () => {
  const { panels } = dashboard;

  const titles = panels.map(({ title }) => title);
  expect(titles.slice(1, 6)).toEqual([
    'Launches that would fail next',
    'Scaling groups',
    'Scale-outs that failed',
    'Quotas that are low',
    'Alerts that fire',
  ]);
  expect(panels.filter(({ collapsed }) => collapsed).map(({ title }) => title)).toEqual([
    'Health of the monitor',
    'Cluster',
  ]);
});

test('the tables of the dashboard have columns of clusters, namespaces, templates and subnets', () => {
  const all = dashboard.panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);
  const columns = all.flatMap(({ title, transformations = [] }) =>
    transformations
      .filter(({ id }) => id === 'filterFieldsByName')
      .map(({ options }) => ({ title, names: options.include?.names ?? [] })),
  );
  const tablesWithout = (name: string) =>
    columns.filter(({ names }) => !names.includes(name)).map(({ title }) => title);
  expect(columns.length).toBeGreaterThan(5);
  expect(tablesWithout('cluster')).toEqual([]);
  expect(tablesWithout('namespace')).toEqual([]);
  const ofQuotas = columns.filter(({ title = '' }) => title.startsWith('Quotas'));
  expect(ofQuotas.length).toBe(2);
  for (const { names } of ofQuotas) {
    expect(names).toEqual(expect.arrayContaining(['template_id', 'subnet_id']));
  }
});

test('every panel of the dashboard has an id of its own', () => {
  const ids = dashboard.panels.flatMap(({ id, panels = [] }) => [
    id,
    ...panels.map((each) => each.id),
  ]);

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

it('an import of the dashboard asks for the data source, and for nothing else', () => {
  const { __inputs: inputs, templating } = dashboard;

  const asked = [...text.matchAll(/\$\{((?:DS|VAR)_\w+)\}/g)].map(([, name]) => name);
  expect(inputs).toMatchObject([
    { name: 'DS_PROMETHEUS', type: 'datasource', pluginId: 'prometheus' },
  ]);
  expect(new Set(asked)).toEqual(new Set(['DS_PROMETHEUS']));
  expect(templating.list.find(({ name }) => name === 'datasource')?.current?.value).toBe(
    '${DS_PROMETHEUS}',
  );
});

it('an import of the dashboard links only to addresses that are variables', () => {
  const addresses = [...text.matchAll(/"url": "\$\{(\w+)\}/g)].map(([, name]) => name);
  const constants = dashboard.templating.list.filter(({ type }) => type === 'constant');
  expect(new Set(addresses)).toEqual(new Set(constants.map(({ name }) => name)));
  expect(text.match(/"url": "(?!\$\{)/g)).toBeNull();
});

it('the marks of the dashboard are at the times that the daemon gives, so that no step of a graph misses them', () => {
  const marks = dashboard.annotations.list.filter(({ expr }) => expr !== undefined);
  expect(marks.map(({ useValueForTime }) => useValueForTime)).toEqual([true, true]);
  expect(marks.every(({ expr }) => expr?.includes('_change_timestamp_seconds'))).toBe(true);
});

it('the provisioning of Grafana gives the data source a uid of its own and finds the dashboard', () => {
  const read = (path: string): unknown =>
    parse(readFileSync(join(configDirectory, 'grafana/provisioning', path), 'utf8'));

  expect(read('datasources/prometheus.yaml')).toMatchObject({
    apiVersion: 1,
    datasources: [{ uid: 'cvm-prometheus', type: 'prometheus' }],
  });
  expect(read('dashboards/cvm-quota-monitor.yaml')).toMatchObject({
    apiVersion: 1,
    providers: [{ type: 'file', options: { path: '/var/lib/grafana/dashboards' } }],
  });
});
