/** The Grafana dashboard as code; `npm run generate` writes it to config/grafana/dashboard.json. */
import {
  DashboardBuilder,
  DashboardCursorSync,
  type Panel,
  type RowPanel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { annotations } from './annotations.ts';
import { cluster } from './cluster.ts';
import { health } from './health.ts';
import { launchTemplates } from './launch-templates.ts';
import { links } from './links.ts';
import { failsNext, overview } from './overview.ts';
import { furtherLimits, quotaTypeDetail } from './quota-type.ts';
import { inputs, variables } from './variables.ts';

const sections = [failsNext, overview, launchTemplates, quotaTypeDetail, furtherLimits];

/** The dashboard as JSON in Grafana's classic schema, which every Grafana since version 10 imports. */
export function dashboardJson(): string {
  // oxlint-disable-next-line typescript/no-deprecated -- its successor needs Grafana 13
  const dashboard = new DashboardBuilder('CVM quotas and launch templates')
    .uid('cvm-quota-monitor')
    .description('Quotas and launch templates of cloud compute accounts, from cvm-quota-monitor.')
    .tags(['cvm-quota-monitor'])
    .time({ from: 'now-24h', to: 'now' })
    .refresh('1m')
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .variables(variables)
    .links(links)
    .annotations(annotations);
  for (const { row, panels } of sections) {
    dashboard.withRow(row);
    for (const panel of panels) dashboard.withPanel(panel);
  }
  dashboard.withRow(health).withRow(cluster);
  const built = dashboard.build();
  const panels = withIds(built.panels ?? []);
  const head = { __inputs: inputs, __elements: {}, __requires: requirements(panels) };
  return `${JSON.stringify({ ...head, ...built, panels }, null, 2)}\n`;
}

/** What grafana.com shows, and a Grafana checks when it imports. */
function requirements(panels: readonly (Panel | RowPanel)[]): readonly object[] {
  const all = panels.flatMap((panel) => ('panels' in panel ? panel.panels : [panel]));
  const types = [...new Set(all.map(({ type }) => type))].toSorted();
  return [
    { type: 'grafana', id: 'grafana', name: 'Grafana', version: '12.0.0' },
    { type: 'datasource', id: 'prometheus', name: 'Prometheus', version: '1.0.0' },
    ...types.map((id) => ({ type: 'panel', id, name: id, version: '' })),
  ];
}

/** A link to a panel contains its id: Grafana chooses others at each import unless the panels have them. */
function withIds(panels: readonly (Panel | RowPanel)[]): readonly (Panel | RowPanel)[] {
  let last = 0;
  const withId = <P extends Panel | RowPanel>(panel: P): P => {
    last += 1;
    return { ...panel, id: last };
  };
  return panels.map((panel) => {
    const own = withId(panel);
    return 'panels' in own ? { ...own, panels: own.panels.map(withId) } : own;
  });
}
