/** The status page for a person on call. It can be read without its script: a header makes the browser reload it. */
import { html } from 'hono/html';
import type { MonitorView } from '../../monitor-view.ts';
import { cycleSection, daemonSection } from './cluster-sections.ts';
import { secondsToRefresh, webPage, type WebPage } from './document.ts';
import { filterForm } from './filter-form.ts';
import type { Html } from './format.ts';
import { statusModel, type StatusModel } from './model.ts';
import { asOf } from './page-footer.ts';
import { apiLink, linkTo, parseStatusQuery } from './query.ts';
import {
  changeSection,
  kindSection,
  problemSection,
  quotaSection,
  targetSection,
} from './sections.ts';
import { summaryList, troubles, verdictOf, type Verdict } from './summary.ts';

/** The present page, filtered by `search`. */
export function statusPage(view: MonitorView, search: URLSearchParams): WebPage {
  const nowMs = view.clock.now();
  const query = parseStatusQuery(search, view.collectors);
  const model = statusModel(view, query, nowMs);
  const verdict = verdictOf(model.summary);
  const seconds = query.isPaused ? null : secondsToRefresh(view.status().nextCycleMs, nowMs);
  return webPage({
    title: verdict.text,
    level: verdict.level,
    isLocalTime: query.isLocalTime,
    body: body(model, view, { verdict, refreshSeconds: seconds }),
    refresh: seconds === null ? null : { seconds, href: linkTo(query, { pages: query.pages }) },
  });
}

interface Top {
  readonly verdict: Verdict;
  readonly refreshSeconds: number | null;
}

function body(model: StatusModel, view: MonitorView, { refreshSeconds, verdict }: Top): Html {
  const { kind, onlyProblems } = model.query;
  const asked = model.collectors.all.filter((collector) => kind === '' || collector.kind === kind);
  const showsQuotas = asked.some(({ quotaSources }) => quotaSources !== null);
  const kinds = model.kinds.filter((section) => kind === '' || section.kind === kind);
  const cluster = view.cluster();
  const shownCluster = cluster && { cluster, query: model.query, nowMs: model.nowMs };
  return html`<header>
      <h1>cvm-quota-monitor</h1>
      <p class="verdict ${verdict.level}">${verdict.text}</p>
      <nav aria-label="Sections">
        ${model.problems.total === 0 ? '' : html`<a href="#problems">Problems</a>`}
        <a href="#quotas">Quotas</a> <a href="#targets">Targets</a>
        ${model.kinds.map(({ table }) => html`<a href="#${table.id}">${table.title}</a> `)}
        <a href="#changes">Changes</a>
        ${cluster === null ? '' : html`<a href="#daemons">Daemons</a>`}
      </nav>
    </header>
    <main>
      ${troubles(view, model.nowMs)} ${summaryList(model, view)} ${problemSection(model)}
      ${filterForm(model)} ${showsQuotas ? quotaSection(model) : ''}
      ${onlyProblems ? '' : targetSection(model)}
      ${kinds.map((section) => kindSection(section, model))} ${changeSection(model)}
      ${shownCluster === null ? '' : [daemonSection(shownCluster), cycleSection(shownCluster)]}
    </main>
    ${footer(model, refreshSeconds)}`;
}

function footer({ nowMs, query }: StatusModel, refreshSeconds: number | null): Html {
  return html`<footer>
    ${asOf({
      nowMs,
      choices: query,
      refreshSeconds,
      linkTo: (change) => linkTo(query, change),
    })}
    <nav aria-label="Data">
      <a href="metrics">Metrics</a> <a href="${apiLink(query)}">Quotas (JSON)</a>
      <a href="${apiLink(query, 'csv')}">Quotas (CSV)</a>
      <a href="api/v1/targets">Targets (JSON)</a>
      <a href="api/v1/changes">Changes (JSON)</a>
    </nav>
  </footer>`;
}
