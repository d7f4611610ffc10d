/** Daemons that share the accounts. Without a cluster, there are no such metrics, and the panels are empty. */
import { RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { graphPanel, plainSteps, statPanel, yesOrNo } from './panels.ts';
import { now, overTime } from './queries.ts';

const panels = [
  statPanel({
    title: 'Members',
    description: 'The daemons of the cluster.',
    span: 6,
    unit: 'short',
    steps: plainSteps,
    targets: [now('max(cvm_monitor_cluster_members)', 'members')],
  }),
  statPanel({
    title: 'Store reachable',
    description: 'Whether every daemon reaches the store.',
    span: 6,
    unit: 'short',
    steps: plainSteps,
    mappings: [yesOrNo],
    targets: [now('min(cvm_monitor_cluster_store_up)', 'store')],
  }),
  graphPanel({
    title: 'Cycles taken over',
    description:
      'Within an hour. A daemon takes over the cycle of another one that does not answer.',
    span: 12,
    unit: 'short',
    targets: [
      overTime(
        'sum by (instance) (increase(cvm_monitor_cluster_cycles_taken_over_total[1h]))',
        '{{instance}}',
      ),
    ],
  }),
];

/** Collapsed, so that it takes one line where there is no cluster. */
export const cluster = panels.reduce(
  (row, panel) => row.withPanel(panel),
  new RowBuilder('Cluster').collapsed(true),
);
