/**
 * What the status page shows: a projection of the published records. A section is a function that returns its table and
 * rows. The page is made in slices, so that scrapes are answered in between, and the text of a row is remembered.
 */
import { html } from 'hono/html';
import { lateCycles, type ClusterStatus } from '../../model/cluster-status.ts';
import {
  admitsChange,
  admitsLaunch,
  admitsQuota,
  admitsTarget,
  labelsOf,
  oneOf,
  readQuery,
  type Filter,
} from '../filter.ts';
import { thresholdsAt } from '../../model/thresholds.ts';
import { newestFirst } from '../json/changes.ts';
import { launchesOf, type Launches } from '../launches.ts';
import type { MonitorView } from '../monitor-view.ts';
import { mapInTurns } from '../pauses.ts';
import { Remembered } from '../remembered.ts';
import * as tables from '../tables.ts';
import { Tally, verdictText } from '../verdict.ts';
import { compareUrgency, type TargetState, type Watch, type Watched } from '../watched.ts';
import { secondsToRefresh, webPage, type WebPage } from './document.ts';
import { grid } from './grid.ts';
import { dense, type Html } from './html.ts';
import { facts, filterForm, footer, heading } from './sections.ts';
import { rowHtml, sectionHtml, shownRows, type Section } from './table.ts';
import { trendCell } from './trend-line.ts';

/** Rows of quotas on a page. */
const maxQuotas = 500;
const maxLaunches = 500;

/** What the sections are made of. */
interface Shown {
  readonly view: MonitorView;
  readonly settings: tables.TableSettings;
  readonly filter: Filter;
  /** The targets that are asked for. */
  readonly targets: readonly Watched[];
  readonly launches: Launches;
}

export class PageContent {
  readonly #view: MonitorView;
  readonly #watch: Watch;
  /** The texts of rows by section. */
  readonly #texts = new Map<string, Remembered<string>>();

  constructor(view: MonitorView, watch: Watch) {
    this.#view = view;
    this.#watch = watch;
  }

  /** @throws FilterError for an address that asks for what there is not */
  async page(search: URLSearchParams): Promise<WebPage> {
    const view = this.#view;
    const nowMs = view.clock.now();
    const today = new Date(nowMs).toISOString().slice(0, 10);
    const all = await this.#watch(nowMs);
    const labels = labelsOf(all, view.collectors);
    const { filter, options } = readQuery(search, labels, { refresh: oneOf(['off']) });
    const isPaused = options.has('refresh');
    const seconds = isPaused ? null : secondsToRefresh(view.status().nextCycleMs, nowMs);
    const tally = new Tally();
    await mapInTurns(all, (watched) => {
      tally.add(watched);
    });
    const launches = launchesOf(all, thresholdsAt(view.thresholds(), nowMs));
    tally.addLaunches(launches);
    const verdict = tally.verdict();
    const targets = all.filter((watched) => admitsTarget(filter, watched));
    const settings = { collectors: view.collectors, links: view.links() };
    const shown = { view, settings, filter, targets, launches };
    const sections = sectionsOf(shown, nowMs);
    const isShown = (row: Watched['quotas'][number]) => admitsQuota(filter, row);
    const parts: Html[] = [];
    for (const section of sections) parts.push(await this.#section(section, settings, today));
    return webPage({
      title: verdictText({ ...verdict, worst: null }),
      level: verdict.level,
      refresh: seconds === null ? null : { seconds, href: `./?${search.toString()}` },
      body: html`<header>
          <h1>cvm-quota-monitor</h1>
          <nav aria-label="Sections">
            ${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a> `)}
          </nav>
        </header>
        <main>
          ${heading(verdict, view, nowMs, today)} ${facts(tally, view, today)}
          ${grid(targets, isShown, filter.get('quota_type'))} ${filterForm(filter, all, isPaused)}
          ${parts}
        </main>
        ${footer(nowMs, filter, seconds)}`,
    });
  }

  async #section(section: Section, { links }: tables.TableSettings, today: string): Promise<Html> {
    const { id, table } = section;
    const known = this.#texts.get(id) ?? new Remembered<string>();
    this.#texts.set(id, known);
    const texts = await mapInTurns(shownRows(section), (row) =>
      known.of(row, [links, today], () => dense(rowHtml(table, row, today))),
    );
    return sectionHtml(section, texts);
  }
}

/** In the order of the page. Sections without a row that nobody expects are left out. */
function sectionsOf(shown: Shown, nowMs: number): readonly Section[] {
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
      table: tables.problemTable(settings),
      rows,
      empty: '',
    },
  ];
}

function quotas({ filter, settings, targets }: Shown): Section {
  const { grafana, runbooks } = settings.links;
  return {
    id: 'quotas',
    title: 'Quotas',
    caption: [
      'The worst first.',
      ...(grafana === null ? [] : ['A name leads to its dashboard.']),
      ...(runbooks === null ? [] : ['A state leads to its runbook.']),
    ].join(' '),
    table: {
      ...tables.quotaTable(settings),
      picture: { label: 'Trend of use', role: 'trend', of: trendCell },
    },
    rows: targets
      .flatMap(({ gone, quotas }) => [...quotas, ...gone])
      .filter((row) => admitsQuota(filter, row))
      .sort(compareUrgency),
    max: maxQuotas,
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
      table: tables.launchTable(settings),
      rows: all.filter((each) => admitsLaunch(filter, each)),
      max: maxLaunches,
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
        table: tables.kindTable(table, settings),
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
    table: tables.changeTable(settings),
    rows: newestFirst(view.published.changes()).filter((change) => admitsChange(filter, change)),
    empty: 'Nothing has changed since the first poll.',
  };
}

function clusterSections(cluster: ClusterStatus, nowMs: number): Section[] {
  const { accounts, members } = cluster;
  const own = members.find(({ isThis }) => isThis)?.configuration;
  const late = new Set(lateCycles(cluster, nowMs).map(({ account }) => account));
  return [
    {
      id: 'daemons',
      title: 'Daemons',
      caption: 'The daemons that share the accounts. Each of them shows the same targets.',
      table: tables.daemonTable,
      rows: members.map((member) => ({
        ...member,
        differs: own !== undefined && member.configuration !== own,
      })),
      empty: 'Redis has told of no daemon yet.',
    },
    {
      id: 'cycles',
      title: 'Cycles of accounts',
      caption: 'Which daemon polled an account last, and which cycle no daemon has begun.',
      table: tables.cycleTable,
      rows: accounts.map((each) => ({ ...each, isLate: late.has(each.account) })),
      empty: 'No account is configured.',
    },
  ];
}
