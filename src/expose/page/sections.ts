/** The sections of the page: each is a table and its rows. */
import { admitsChange, admitsLaunch, admitsQuota, type Filter } from '../filter.ts';
import { newestFirst } from '../json/changes.ts';
import type { Launches } from '../launches.ts';
import type { MonitorView } from '../monitor-view.ts';
import { launchTable } from '../tables/launches.ts';
import { quotaTable } from '../tables/quotas.ts';
import type { TableSettings } from '../tables/table.ts';
import { changeTable, kindTable, problemTable } from '../tables/targets.ts';
import { compareUrgency, type TargetState, type Watched } from '../watched.ts';
import { clusterSections } from './cluster.ts';
import type { Section } from './table.ts';
import { trendCell } from './trend-line.ts';

/** Rows of quotas, and of launches, on a page. */
const maxRows = 500;

/** What the sections are made of. */
interface Shown {
  readonly view: MonitorView;
  readonly settings: TableSettings;
  readonly filter: Filter;
  /** The targets that are asked for. */
  readonly targets: readonly Watched[];
  readonly launches: Launches;
}

/**
 * In the order of the page. Problems and launches without rows are left out, and so is a kind that the filter leaves
 * without rows.
 */
export function sectionsOf(shown: Shown, nowMs: number): readonly Section[] {
  const cluster = shown.view.cluster();
  return [
    ...problems(shown),
    ...launches(shown),
    quotas(shown),
    ...kinds(shown),
    changes(shown),
    ...(cluster === null ? [] : clusterSections(cluster, nowMs)),
  ];
}

const urgency: readonly TargetState[] = ['failing', 'stale', 'incomplete', 'pending'];

function problems({ settings, targets }: Shown): Section[] {
  const rows = urgency.flatMap((state) => targets.filter((each) => each.state === state));
  if (rows.length === 0) return [];
  return [
    {
      id: 'problems',
      title: 'Problems',
      caption: 'What was not polled successfully and completely. The worst first.',
      table: problemTable(settings),
      rows,
      empty: '',
    },
  ];
}

const trend = { label: 'Trend of use', role: 'trend', picture: trendCell };

function quotas({ filter, settings, targets }: Shown): Section {
  const { grafana, runbooks } = settings.links;
  const table = quotaTable(settings);
  return {
    id: 'quotas',
    title: 'Quotas',
    caption: [
      'The worst first.',
      ...(grafana === null ? [] : ['A name leads to its dashboard.']),
      ...(runbooks === null ? [] : ['A state leads to its runbook.']),
    ].join(' '),
    table: { ...table, columns: [...table.columns, trend] },
    rows: targets
      .flatMap(({ gone, quotas }) => [...quotas, ...gone])
      .filter((row) => admitsQuota(filter, row))
      .sort(compareUrgency),
    max: maxRows,
    empty: filter.size > 0 ? 'No quota of these is known.' : 'No quota is known yet.',
  };
}

/** Without `launches: true`, nothing is judged, and there is no section. */
function launches({ filter, launches: { judged, unjudged }, settings }: Shown): Section[] {
  const all = [...judged, ...unjudged];
  if (all.length === 0) return [];
  return [
    {
      id: 'launches',
      title: 'Launches',
      caption:
        'Whether the next launch succeeds: what each default version, and each instance type of the configuration, would start. The worst first. How many more is an upper bound for each alone: launches share quotas and subnets.',
      table: launchTable(settings),
      rows: all.filter((each) => admitsLaunch(filter, each)),
      max: maxRows,
      empty: 'No launch of these is known.',
    },
  ];
}

/** The tables of collectors. */
function kinds({ filter, settings, targets, view }: Shown): Section[] {
  const changedAtMs = ({ record }: Watched) => record.counted.recentChanges.at(-1)?.atMs ?? 0;
  return view.collectors.all.flatMap((collector) => {
    const { table } = collector;
    const rows = targets
      .filter((watched) => watched.collector === collector)
      .sort((a, b) => changedAtMs(b) - changedAtMs(a));
    if (table === null || (filter.size > 0 && rows.length === 0)) return [];
    return [
      {
        id: table.id,
        title: table.title,
        caption: 'The last change first.',
        table: kindTable(table, settings),
        rows,
        empty: table.empty,
      },
    ];
  });
}

function changes({ filter, settings, view }: Shown): Section {
  return {
    id: 'changes',
    title: 'Changes',
    caption: 'The last 20 of each target, the newest first.',
    table: changeTable(settings),
    rows: newestFirst(view.published.changes()).filter((change) => admitsChange(filter, change)),
    empty: 'Nothing has changed since the first poll.',
  };
}
