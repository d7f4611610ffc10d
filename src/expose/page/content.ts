/**
 * What the status page shows: a projection of the published records. It is made in slices, so that scrapes are
 * answered in between, and the text of a row is remembered with its record.
 */
import { html } from 'hono/html';
import type { KindTable } from '../../collectors/collector.ts';
import { thresholdsAt } from '../../model/thresholds.ts';
import {
  admitsChange,
  admitsQuota,
  admitsTarget,
  FilterError,
  readFilter,
  type Filter,
} from '../filter.ts';
import { newestFirst } from '../json/changes.ts';
import type { MonitorView } from '../monitor-view.ts';
import { pauses } from '../pauses.ts';
import { Remembered } from '../remembered.ts';
import { Tally, verdictText } from '../verdict.ts';
import {
  compareUrgency,
  goneRowsOf,
  quotaRowsOf,
  watchAll,
  type QuotaRow,
  type TargetState,
  type Watched,
} from '../watched.ts';
import { secondsToRefresh, webPage, type WebPage } from './document.ts';
import { grid } from './grid.ts';
import { dayOf, textOf, type Html } from './html.ts';
import * as rows from './rows.ts';
import { clusterSections, facts, filterForm, footer, heading, tableSection } from './sections.ts';

/** Rows of quotas on a page. */
const maxQuotas = 500;
/** Rows of each other table. */
const maxOthers = 100;

/** A record, its quotas, and the texts that were made of them. */
interface Known {
  readonly watched: Watched;
  readonly quotas: readonly QuotaRow[];
  /** By quota, and by the id of a table that shows the record. */
  readonly texts: Map<QuotaRow | string, string>;
}

/** What is asked for, and the settings of its rows. */
interface Asked {
  readonly filter: Filter;
  readonly settings: rows.RowSettings;
}

export class PageContent {
  readonly #view: MonitorView;
  readonly #records = new Remembered<Known>();

  constructor(view: MonitorView) {
    this.#view = view;
  }

  async page(search: URLSearchParams): Promise<WebPage> {
    const view = this.#view;
    const nowMs = view.clock.now();
    const all = watchAll(view, nowMs);
    try {
      const filter = readFilter(search, all, view.collectors, ['refresh']);
      return await this.#narrowed(search, filter, all, nowMs);
    } catch (error) {
      if (error instanceof FilterError) return refusal(error.message);
      throw error;
    }
  }

  async #narrowed(
    search: URLSearchParams,
    filter: Filter,
    all: readonly Watched[],
    nowMs: number,
  ): Promise<WebPage> {
    const view = this.#view;
    const today = dayOf(nowMs);
    const settings = { links: view.links(), collectors: view.collectors, today };
    const asked: Asked = { filter, settings };
    const isPaused = search.get('refresh') === 'off';
    const seconds = isPaused ? null : secondsToRefresh(view.status().nextCycleMs, nowMs);
    const known = await this.#judge(all, settings, nowMs);
    const tally = new Tally();
    for (const { quotas, watched } of known) tally.add(watched, quotas);
    const verdict = tally.verdict();
    const targets = known
      .filter(({ watched }) => admitsTarget(filter, watched))
      .map((each) => ({ ...each, quotas: each.quotas.filter((row) => admitsQuota(filter, row)) }));
    const tables = view.collectors.all.flatMap(({ operation, table }) => {
      const own = targets.filter(({ watched }) => watched.record.target.operation === operation);
      return table === null || (filter.size > 0 && own.length === 0) ? [] : [{ own, table }];
    });
    const problems = problemSection(targets, asked);
    const cluster = view.cluster();
    return webPage({
      title: verdictText({ ...verdict, worst: null }),
      level: verdict.level,
      refresh: seconds === null ? null : { seconds, href: `./?${search.toString()}` },
      body: html`<header>
          <h1>cvm-quota-monitor</h1>
          <nav aria-label="Sections">
            ${problems === '' ? '' : html`<a href="#problems">Problems</a>`}
            <a href="#quotas">Quotas</a>
            ${tables.map(({ table }) => html`<a href="#${table.id}">${table.title}</a> `)}
            <a href="#changes">Changes</a>
          </nav>
        </header>
        <main>
          ${heading(verdict, view, nowMs, today)} ${facts(tally, view, today)}
          ${grid(targets, filter.get('quota_type'))} ${problems}
          ${filterForm(filter, all, isPaused)} ${await quotaSection(targets, asked)}
          ${tables.map(({ own, table }) => kindSection(own, table, asked))} ${this.#changes(asked)}
          ${cluster === null ? '' : clusterSections(cluster, nowMs, today)}
        </main>
        ${footer(nowMs, filter, seconds)}`,
    });
  }

  /** Judges the quotas of every record. What was remembered of a record is used again while it holds. */
  async #judge(
    all: readonly Watched[],
    { links, today }: rows.RowSettings,
    nowMs: number,
  ): Promise<readonly Known[]> {
    const thresholds = this.#view.thresholds();
    const overrides = thresholdsAt(thresholds, nowMs).overrides.length;
    const known: Known[] = [];
    const pause = pauses();
    for (const watched of all) {
      const { isFresh, record, staleAfterMs } = watched;
      const basis = [isFresh, staleAfterMs, thresholds, overrides, links, today];
      const each = this.#records.of(record, basis, () => ({
        watched,
        quotas: [...quotaRowsOf(watched), ...goneRowsOf(watched, nowMs)],
        texts: new Map(),
      }));
      known.push(each);
      await pause();
    }
    return known;
  }

  #changes({ filter, settings }: Asked): Html {
    const changes = newestFirst(this.#view.published.changes()).filter((change) =>
      admitsChange(filter, change),
    );
    return tableSection({
      id: 'changes',
      title: 'Changes',
      caption: 'The last 20 of each target, the newest first.',
      columns: rows.changeColumns,
      rows: changes.slice(0, maxOthers).map((each) => textOf(rows.changeRow(each, settings))),
      total: changes.length,
      empty: 'Nothing has changed since the first poll.',
    });
  }
}

/** The answer to an address that asks for what there is not. */
function refusal(message: string): WebPage {
  return webPage({
    status: 400,
    title: 'Nothing to show',
    level: 'unknown',
    refresh: null,
    body: html`<header><h1>cvm-quota-monitor</h1></header>
      <main>
        <div class="verdict unknown"><p>The address asks for what there is not</p></div>
        <p>${message}</p>
        <p><a href="./">Show everything</a></p>
      </main>`,
  });
}

function rememberedText(
  { texts }: Pick<Known, 'texts'>,
  key: QuotaRow | string,
  make: () => Html,
): string {
  // Without the indentation of the templates, the page is a third smaller.
  const text = texts.get(key) ?? textOf(make()).replaceAll(/\s*\n\s*/g, '\n');
  texts.set(key, text);
  return text;
}

async function quotaSection(targets: readonly Known[], { filter, settings }: Asked): Promise<Html> {
  const quotas = targets
    .flatMap((each) => each.quotas.map((row) => ({ row, texts: each.texts })))
    .sort((a, b) => compareUrgency(a.row, b.row));
  const pause = pauses();
  const texts: string[] = [];
  for (const each of quotas.slice(0, maxQuotas)) {
    texts.push(rememberedText(each, each.row, () => rows.quotaRow(each.row, settings)));
    await pause();
  }
  const { grafana, runbooks } = settings.links;
  return tableSection({
    id: 'quotas',
    title: 'Quotas',
    caption: [
      'The worst first.',
      ...(grafana === null ? [] : ['A name leads to its dashboard.']),
      ...(runbooks === null ? [] : ['A state leads to its runbook.']),
    ].join(' '),
    columns: rows.quotaColumns,
    rows: texts,
    total: quotas.length,
    empty: filter.size > 0 ? 'No quota of these is known.' : 'No quota is known yet.',
  });
}

const urgency: Readonly<Record<TargetState, number>> = {
  failing: 0,
  stale: 1,
  incomplete: 2,
  pending: 3,
  up: 4,
};

/** Empty if there is no problem. */
function problemSection(targets: readonly Known[], { settings }: Asked): Html | '' {
  const found = targets
    .filter(({ watched }) => watched.state !== 'up')
    .toSorted((a, b) => urgency[a.watched.state] - urgency[b.watched.state]);
  if (found.length === 0) return '';
  return tableSection({
    id: 'problems',
    title: 'Problems',
    caption: 'What was not polled successfully and completely. The worst first.',
    columns: rows.problemColumns,
    rows: found
      .slice(0, maxOthers)
      .map((each) =>
        rememberedText(each, 'problems', () => rows.problemRow(each.watched, settings)),
      ),
    total: found.length,
    empty: '',
  });
}

/** The table of one collector. */
function kindSection(own: readonly Known[], table: KindTable, { settings }: Asked): Html {
  const changedAtMs = ({ watched }: Known) =>
    watched.record.counted.recentChanges.at(-1)?.atMs ?? 0;
  return tableSection({
    id: table.id,
    title: table.title,
    caption: 'The last change first.',
    columns: rows.kindColumns(table),
    rows: own
      .toSorted((a, b) => changedAtMs(b) - changedAtMs(a))
      .slice(0, maxOthers)
      .map((each) =>
        rememberedText(each, table.id, () => rows.kindRow(each.watched, table, settings)),
      ),
    total: own.length,
    empty: table.empty,
  });
}
