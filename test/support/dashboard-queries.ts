/** Every query of the Grafana dashboard, in the form that Prometheus receives. */
import { readFile } from 'node:fs/promises';

export interface DashboardQuery {
  readonly kind: 'panel' | 'variable' | 'annotation';
  /** The title of the panel, or the name of the variable or annotation. */
  readonly name: string;
  /** PromQL in which every variable of the dashboard and of Grafana is replaced by a value. */
  readonly expr: string;
}

/** The metrics of daemons that share accounts begin with it. One daemon alone does not expose them. */
export const clusterMetrics = 'cvm_monitor_cluster_';

interface Panel {
  readonly title?: string;
  readonly targets?: readonly { readonly expr: string }[];
  readonly panels?: readonly Panel[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly {
      readonly name: string;
      readonly type: string;
      readonly query: { readonly query: string };
      readonly allValue?: string;
    }[];
  };
  readonly annotations: {
    readonly list: readonly { readonly name: string; readonly expr: string }[];
  };
}

/** The variables of Grafana, for a time range of an hour and a scrape interval of 2.5 minutes. */
const grafanaValues = { __range: '1h', __interval: '30s', __rate_interval: '10m' };

/**
 * The queries of the panels, variables and annotations of config/grafana/dashboard.json.
 *
 * @param chosen values by variable; defaults to "All", as when the dashboard is opened
 * @throws when a query contains a variable without a value
 */
export async function dashboardQueries(
  chosen: Readonly<Record<string, string>> = {},
): Promise<readonly DashboardQuery[]> {
  const path = new URL('../../config/grafana/dashboard.json', import.meta.url);
  const dashboard = JSON.parse(await readFile(path, 'utf8')) as Dashboard;
  const variables = dashboard.templating.list.filter(({ type }) => type === 'query');
  const values: Readonly<Record<string, string | undefined>> = {
    ...grafanaValues,
    ...Object.fromEntries(variables.map(({ name, allValue }) => [name, allValue])),
    ...chosen,
  };
  const interpolate = (expr: string) =>
    expr.replace(/\$(\w+)/g, (whole, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`${whole} has no value in ${expr}`);
      return value;
    });
  return [
    ...panelQueries(dashboard.panels),
    ...variables.map(({ name, query }) => ({
      kind: 'variable' as const,
      name,
      expr: valuesOfLabel(query.query),
    })),
    ...dashboard.annotations.list.map(({ name, expr }) => ({
      kind: 'annotation' as const,
      name,
      expr,
    })),
  ].map((query) => ({ ...query, expr: interpolate(query.expr) }));
}

function panelQueries(panels: readonly Panel[]): DashboardQuery[] {
  return panels.flatMap(({ title = '', targets = [], panels: inner = [] }) => [
    ...targets.map(({ expr }) => ({ kind: 'panel' as const, name: title, expr })),
    ...panelQueries(inner),
  ]);
}

/** PromQL that returns one series for each value of `label_values(series, label)`. */
function valuesOfLabel(query: string): string {
  const match = /^label_values\((.*), (\w+)\)$/.exec(query);
  if (match === null) throw new Error(`not label_values(series, label): ${query}`);
  const [, series = '', label = ''] = match;
  return `group by (${label}) (${series})`;
}
