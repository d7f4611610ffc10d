/** Daemons that share the accounts. Without a cluster, there are no such metrics, and the panels are empty. */
import { collapsedRow, graphPanel, plainSteps, statPanel, yesOrNo } from './panels.ts';
import {
  daemonLabels,
  legendOfDaemon,
  legendOfPlace,
  now,
  ofDaemon,
  overTime,
  place,
} from './queries.ts';

const panels = [
  statPanel({
    title: 'Members',
    description: 'The daemons of the cluster that were heard of within the lock.',
    span: 4,
    unit: 'short',
    steps: plainSteps,
    targets: [now(`max by (${place}) (cvm_monitor_cluster_members${ofDaemon})`, legendOfPlace)],
  }),
  statPanel({
    title: 'Store reachable',
    description: 'Whether every daemon reaches the store.',
    span: 4,
    unit: 'short',
    steps: plainSteps,
    mappings: [yesOrNo],
    targets: [now(`min by (${place}) (cvm_monitor_cluster_store_up${ofDaemon})`, legendOfPlace)],
  }),
  statPanel({
    title: 'Configurations',
    description: 'How many different configurations the daemons have. 1 is right.',
    span: 4,
    unit: 'short',
    steps: [
      { value: null, color: 'green' },
      { value: 2, color: 'orange' },
    ],
    targets: [
      now(`max by (${place}) (cvm_monitor_cluster_configurations${ofDaemon})`, legendOfPlace),
    ],
  }),
  graphPanel({
    title: 'Oldest waiting cycle',
    description:
      'How long the oldest cycle has been due that no daemon has taken. No line while none waits.',
    span: 6,
    unit: 's',
    targets: [
      overTime(
        `time() - min by (${place}) (cvm_monitor_cluster_oldest_waiting_cycle_timestamp_seconds${ofDaemon})`,
        legendOfPlace,
      ),
    ],
  }),
  graphPanel({
    title: 'Cycles taken over',
    description:
      'Within an hour. A daemon takes over the cycle of another one that does not answer.',
    span: 6,
    unit: 'short',
    targets: [
      overTime(
        `sum by (${daemonLabels}) (increase(cvm_monitor_cluster_cycles_taken_over_total${ofDaemon}[1h]))`,
        legendOfDaemon,
      ),
    ],
  }),
];

/** Collapsed, so that it takes one line where there is no cluster. */
export const cluster = collapsedRow('Cluster', panels);
