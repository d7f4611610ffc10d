import { join } from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { dashboardQueries, type DashboardQuery } from '../../helpers/dashboard-queries.ts';
import { temporaryDirectory } from '../../helpers/directories.ts';
import { unknownMetrics } from '../../helpers/exposed-metrics.ts';
import { hasProgram } from '../../helpers/programs.ts';
import { runProgram } from '../../helpers/run-program.ts';

const configDirectory = join(import.meta.dirname, '../../../config');
let queries: readonly DashboardQuery[];

beforeAll(async () => {
  queries = await dashboardQueries();
});

describe('the queries of the dashboard', () => {
  it('name only metrics that the daemon exposes', () => {
    const unknown = queries.flatMap(({ expr }) => unknownMetrics(expr));

    expect(unknown).toEqual([]);
  });

  it('show every quota when no zone is chosen, and those without a zone when one is', async () => {
    const chosen = await dashboardQueries({ zone: 'ap-guangzhou-3' });

    const exprOf = (all: readonly DashboardQuery[]) =>
      all.find(({ name }) => name === 'Used and limit')?.expr;
    expect(exprOf(queries)).toContain('zone=~".*|"');
    expect(exprOf(chosen)).toContain('zone=~"ap-guangzhou-3|"');
  });

  it('narrow what is shown by account, and by region where there is one', () => {
    const unfiltered = queries
      .filter(({ expr }) => expr.includes('cvm_quota') || expr.includes('cvm_launch_template'))
      .filter(({ expr }) => !expr.includes('account=~') || !expr.includes('region=~'));

    expect(unfiltered).toEqual([]);
  });
});

describe.runIf(hasProgram('promtool', 'prometheus'))('promtool', () => {
  it('accepts every query of the dashboard', async () => {
    const path = join(await temporaryDirectory(), 'dashboard.yaml');
    const rules = queries.map(({ expr }, index) => ({
      record: `dashboard:query_${index}:check`,
      expr,
    }));
    await writeFile(path, stringify({ groups: [{ name: 'dashboard', rules }] }));

    const output = await runProgram('promtool', ['check', 'rules', path]);

    expect(output).toContain(`${queries.length} rules found`);
  });
});

describe('the provisioning', () => {
  it('gives the data source a uid of its own and finds the dashboard', async () => {
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
});
