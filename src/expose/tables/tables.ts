/**
 * Which tables page and terminal have, and which rows in which order. `page/page.ts` and `terminal/check-table.ts` show them.
 */
import type { Change } from '../../model/change.ts';
import type { ClusterMember } from '../../model/cluster-status.ts';
import type { EvaluatedLaunch } from '../../model/launches/judge-region.ts';
import { compareStates } from '../display-state.ts';
import { worstQuotaFirst, type EvaluatedQuota, type EvaluatedRecord } from '../evaluation.ts';
import { changeLabels, launchLabels, matchesFilter, quotaLabels, type Filter } from '../filter.ts';
import { launchTableRow } from './launch-row.ts';
import { quotaTableRow } from './quota-row.ts';
import type { RowContext, Table } from './table.ts';
import { changeTableRow, daemonTableRow, kindTableRow, problemTableRow } from './target-rows.ts';

/** Everything that the tables show. The targets match the filter; the other things are filtered here. */
export interface TableContents extends RowContext {
  readonly filter: Filter;
  readonly targets: readonly EvaluatedRecord[];
  /** The worst first. */
  readonly launches: readonly EvaluatedLaunch[];
  /** The newest first. */
  readonly changes: readonly Change[];
  /** The daemons of a cluster. Empty for one daemon alone. */
  readonly members: readonly ClusterMember[];
}

/** The tables that have rows, in the order of the page. */
export function tablesOf(contents: TableContents): readonly Table[] {
  const { changes, collectors, filter, launches, members, targets, texts } = contents;
  const { say, word } = texts;
  // The newest change is the last one. A target without a change is at the end of its table.
  const lastChangeMs = ({ record }: EvaluatedRecord) =>
    record.durable.recentChanges.at(-1)?.atMs ?? 0;
  const tables: Table[] = [
    {
      id: 'launches',
      title: say('Launches'),
      caption: say(
        'Whether the next launch succeeds, the worst first. Each part says how many instances it holds, which is an upper bound: launches share quotas and subnets. ! blocks, ▾ is tight, ? is not known, – does not apply.',
      ),
      toRow: (launch: EvaluatedLaunch) => launchTableRow(launch, contents),
      items: launches.filter((launch) => matchesFilter(filter, launchLabels(launch))),
    },
    {
      id: 'problems',
      title: say('Problems'),
      caption: say('What was not polled successfully and completely. The worst first.'),
      toRow: (target: EvaluatedRecord) => problemTableRow(target, contents),
      items: targets
        .filter(({ state }) => state !== 'up')
        .sort((a, b) => compareStates(a.state, b.state)),
    },
    {
      id: 'quotas',
      title: say('Quotas'),
      caption: say('The worst first.'),
      toRow: (quota: EvaluatedQuota) => quotaTableRow(quota, contents),
      items: targets
        .flatMap(({ gone, quotas }) => [...quotas, ...gone])
        .filter((quota) => matchesFilter(filter, quotaLabels(quota)))
        .sort(worstQuotaFirst),
    },
    ...collectors.all.flatMap(({ kind, table }) =>
      table === null
        ? []
        : {
            id: table.id,
            title: word(table.title),
            caption: say('The last change first.'),
            toRow: (target: EvaluatedRecord) => kindTableRow(target, contents),
            items: targets
              .filter(
                ({ collector, record }) => collector.kind === kind && record.observed.snapshot,
              )
              .sort((a, b) => lastChangeMs(b) - lastChangeMs(a)),
          },
    ),
    {
      id: 'changes',
      title: say('Changes'),
      caption: say('The last 20 of each target, the newest first.'),
      toRow: (change: Change) => changeTableRow(change, contents),
      items: changes.filter((change) => matchesFilter(filter, changeLabels(change))),
    },
    {
      id: 'daemons',
      title: say('Daemons'),
      caption: say('The daemons that share the accounts. Each of them shows the same targets.'),
      toRow: (member: ClusterMember) => daemonTableRow(member, contents),
      items: members,
    },
  ];
  return tables.filter(({ items }) => items.length > 0);
}
