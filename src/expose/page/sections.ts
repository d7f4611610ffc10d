/** The sections of the page: each is a table and its rows. */
import { admits, changeLabels, launchLabels, quotaLabels, type Asked } from '../filter.ts';
import { newestFirst } from '../json/changes.ts';
import type { MonitorView } from '../monitor-view.ts';
import { compareWords } from '../severity.ts';
import { launchRow } from '../tables/launches.ts';
import { quotaRow } from '../tables/quotas.ts';
import type { TableSettings } from '../tables/table.ts';
import { changeRow, kindRow, problemRow } from '../tables/targets.ts';
import { compareUrgency, type Watched } from '../watched.ts';
import { daemonsSection } from './cluster.ts';
import type { Section } from './table.ts';

/** Rows of quotas, and of launches, on a page. */
const maxRows = 500;

/** In the order of the page. Those without rows are left out if there is no text for that. */
export function sectionsOf(
  view: MonitorView,
  settings: TableSettings,
  { filter, launches, targets }: Omit<Asked, 'labels' | 'options'>,
): readonly Section[] {
  const { grafana, runbooks } = settings.links;
  const cluster = view.cluster();
  const changedAtMs = ({ record }: Watched) => record.counted.recentChanges.at(-1)?.atMs ?? 0;
  const kinds = view.collectors.all.flatMap((collector): Section[] => {
    const { table } = collector;
    if (table === null) return [];
    const rows = targets.filter((watched) => watched.collector === collector);
    return [
      {
        id: table.id,
        title: table.title,
        caption: 'The last change first.',
        rows: rows.sort((a, b) => changedAtMs(b) - changedAtMs(a)),
        show: kindRow,
        empty: filter.size > 0 ? '' : table.empty,
      },
    ];
  });
  const sections: Section[] = [
    {
      id: 'problems',
      title: 'Problems',
      caption: 'What was not polled successfully and completely. The worst first.',
      show: problemRow,
      rows: targets
        .filter(({ state }) => state !== 'up')
        .sort((a, b) => compareWords({ word: a.state }, { word: b.state })),
      empty: '',
    },
    {
      id: 'launches',
      title: 'Launches',
      caption:
        'Whether the next launch succeeds: what each default version, and each instance type of the configuration, would start. The worst first. How many more is an upper bound for each alone: launches share quotas and subnets.',
      show: launchRow,
      rows: launches.filter((each) => admits(filter, launchLabels(each))),
      max: maxRows,
      // Without `launches: true`, nothing is judged.
      empty: launches.length === 0 ? '' : 'No launch of these is known.',
    },
    {
      id: 'quotas',
      title: 'Quotas',
      caption: [
        'The worst first.',
        ...(grafana === null ? [] : ['A name leads to its dashboard.']),
        ...(runbooks === null ? [] : ['A state leads to its runbook.']),
      ].join(' '),
      show: quotaRow,
      rows: targets
        .flatMap(({ gone, quotas }) => [...quotas, ...gone])
        .filter((row) => admits(filter, quotaLabels(row)))
        .sort(compareUrgency),
      max: maxRows,
      empty: filter.size > 0 ? 'No quota of these is known.' : 'No quota is known yet.',
    },
    ...kinds,
    {
      id: 'changes',
      title: 'Changes',
      caption: 'The last 20 of each target, the newest first.',
      show: changeRow,
      rows: newestFirst(view.published.changes()).filter((change) =>
        admits(filter, changeLabels(change)),
      ),
      empty: 'Nothing has changed since the first poll.',
    },
    ...(cluster === null ? [] : [daemonsSection(cluster)]),
  ];
  return sections.filter(({ empty, rows }) => rows.length > 0 || empty !== '');
}
