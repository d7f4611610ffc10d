/** The tables of page and terminal. */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { Change } from '../../model/change.ts';
import type { ClusterStatus } from '../../model/cluster-status.ts';
import { admits, changeLabels, launchLabels, quotaLabels, type Asked } from '../filter.ts';
import { compareStates } from '../severity.ts';
import { compareUrgency, type EvaluatedRecord } from '../evaluated-record.ts';
import { launchRow } from './launches.ts';
import { quotaRow } from './quotas.ts';
import type { Table } from './table.ts';
import { changeRow, daemonRow, kindRow, problemRow } from './targets.ts';

/** What is shown. */
export interface Contents extends Pick<Asked, 'filter' | 'launches' | 'targets'> {
  readonly collectors: CollectorSet;
  /** The newest first. */
  readonly changes: readonly Change[];
  readonly cluster: ClusterStatus | null;
}

/** In the order of the page. Only those with rows. */
export function tablesOf(contents: Contents): readonly Table[] {
  const { changes, cluster, collectors, filter, launches, targets } = contents;
  const changedAtMs = ({ record }: EvaluatedRecord) =>
    record.durable.recentChanges.at(-1)?.atMs ?? 0;
  const tables: Table[] = [
    {
      id: 'launches',
      title: 'Launches',
      caption:
        'Whether the next launch succeeds: what each default version, and each instance type of the configuration, would start. The worst first. How many more is an upper bound for each alone: launches share quotas and subnets.',
      show: launchRow,
      rows: launches.filter((each) => admits(filter, launchLabels(each))),
    },
    {
      id: 'problems',
      title: 'Problems',
      caption: 'What was not polled successfully and completely. The worst first.',
      show: problemRow,
      rows: targets
        .filter(({ state }) => state !== 'up')
        .sort((a, b) => compareStates({ state: a.state }, { state: b.state })),
    },
    {
      id: 'quotas',
      title: 'Quotas',
      caption: 'The worst first.',
      show: quotaRow,
      rows: targets
        .flatMap(({ gone, quotas }) => [...quotas, ...gone])
        .filter((row) => admits(filter, quotaLabels(row)))
        .sort(compareUrgency),
    },
    ...collectors.all.flatMap(({ kind, table }) =>
      table === null
        ? []
        : {
            ...table,
            caption: 'The last change first.',
            show: kindRow,
            rows: targets
              .filter(
                ({ collector, record }) => collector.kind === kind && record.observed.snapshot,
              )
              .sort((a, b) => changedAtMs(b) - changedAtMs(a)),
          },
    ),
    {
      id: 'changes',
      title: 'Changes',
      caption: 'The last 20 of each target, the newest first.',
      show: changeRow,
      rows: changes.filter((change) => admits(filter, changeLabels(change))),
    },
    {
      id: 'daemons',
      title: 'Daemons',
      caption: 'The daemons that share the accounts. Each of them shows the same targets.',
      show: daemonRow,
      rows: cluster?.members ?? [],
    },
  ];
  return tables.filter(({ rows }) => rows.length > 0);
}
