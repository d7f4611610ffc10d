/** The page of one quota: its numbers, its trend and its changes. */
import { html } from 'hono/html';
import type { Change } from '../../../model/change.ts';
import { targetKey } from '../../../model/target.ts';
import { windowSteps } from '../../../model/trend.ts';
import { figure } from '../../number-format.ts';
import type { MonitorView } from '../../monitor-view.ts';
import { severityText, wholeRegion } from '../../filter.ts';
import { newestFirst } from '../../json/changes.ts';
import { trendOf } from '../../shown-trend.ts';
import { presentSeverity, watchAll, type QuotaRow } from '../../watched.ts';
import { secondsToRefresh, webPage, type WebPage } from './document.ts';
import { exactTime, moment, rounded, type Html } from './format.ts';
import { asOf } from './page-footer.ts';
import { noFilter, linkTo, parseStatusQuery, type StatusQuery } from './query.ts';
import { findQuota, quotaLink } from './quota-address.ts';
import { failureText, id, missingText, quotaTags, shareLeft, unitText } from './rows.ts';
import { changeText, trendChart } from './trend-line.ts';
import { quotaLinks } from './row-links.ts';
import { usageBar } from './usage-bar.ts';

/** @param search the labels of the quota's metrics */
export function quotaPage(view: MonitorView, search: URLSearchParams): WebPage {
  const nowMs = view.clock.now();
  const query = parseStatusQuery(search, view.collectors);
  const row = findQuota(watchAll(view, nowMs), search);
  if (row === null) return unknownQuota(query);
  const { quota } = row;
  const severity = presentSeverity(row);
  const { account, region } = row.watched.record.target;
  const seconds = query.isPaused ? null : secondsToRefresh(view.status().nextCycleMs, nowMs);
  return webPage({
    title: [severityText(row), quota.type, quota.zone ?? region, account].join(' ').trim(),
    level: severity === 'stale' || severity === 'unknown' ? 'warning' : severity,
    isLocalTime: query.isLocalTime,
    body: body(row, view, { query, nowMs, refreshSeconds: seconds }),
    refresh: seconds === null ? null : { seconds, href: quotaLink(row, query) },
  });
}

function unknownQuota(query: StatusQuery): WebPage {
  return webPage({
    status: 404,
    title: 'Unknown quota',
    level: 'warning',
    isLocalTime: query.isLocalTime,
    body: html`<header><h1>Unknown quota</h1></header>
      <main>
        <p>The last answers do not contain this quota, or nothing watches it.</p>
        <p><a href="./">All quotas</a></p>
      </main>`,
    refresh: null,
  });
}

interface Context {
  readonly query: StatusQuery;
  readonly nowMs: number;
  readonly refreshSeconds: number | null;
}

function body(row: QuotaRow, view: MonitorView, context: Context): Html {
  const { nowMs, query, refreshSeconds } = context;
  const { quota, thresholds, watched } = row;
  const { record, isFresh } = watched;
  const { account, region } = record.target;
  const back = linkTo(query, { ...noFilter, orders: {} });
  const zone = quota.zone === null ? html`${wholeRegion}` : id(quota.zone);
  return html`<header>
      <h1>${quota.type} <small>${unitText(row)}</small></h1>
      ${quotaTags(row)}
      <nav aria-label="Pages">
        <a href="${back}">All quotas</a>
        <a href="${linkTo(query, { ...noFilter, target: targetKey(record.target), orders: {} })}"
          >Its target</a
        >
      </nav>
    </header>
    <main>
      <p class="place">${zone}, ${id(region)}, ${id(account)}</p>
      ${freshnessText(row, nowMs)} ${quotaLinks(row, view.links())}
      <dl class="summary">
        ${item('Left', isFresh ? html`${shareLeft(quota)}` : html`–`, isFresh ? usageBar(row) : '')}
        ${item('Remaining', html`${figure(quota.remaining)}`, quota.unit)}
        ${item('Used', html`${figure(quota.used)}`, watched.collector.quotaNote(quota))}
        ${item('Limit', html`${figure(quota.limit)}`, '')}
        ${
          thresholds === null
            ? ''
            : item(
                'Thresholds',
                html`${figure(thresholds.warning)} <span>low</span> ${figure(thresholds.critical)}
                  <span>critical</span>`,
                'less than this remains',
              )
        }
      </dl>
      ${trendSection(row, nowMs)} ${changesSection(row, view, nowMs)}
    </main>
    <footer>
      ${asOf({
        nowMs,
        choices: query,
        refreshSeconds,
        linkTo: (change) => quotaLink(row, { ...query, ...change }),
      })}
    </footer>`;
}

function item(term: string, value: Html, detail: Html | string): Html {
  return html`<div>
    <dt>${term}</dt>
    <dd>${value}</dd>
    ${detail === '' ? '' : html`<dd class="detail">${detail}</dd>`}
  </div>`;
}

/** When the numbers were read, and why they are not newer or not complete. */
function freshnessText({ watched: { isFresh, record } }: QuotaRow, nowMs: number): Html {
  const { failure, lastSuccessAtMs } = record.seen.freshness;
  const missing = record.seen.snapshot?.missing ?? [];
  return html`<p>
      ${isFresh ? 'Known' : 'Last known'}
      ${lastSuccessAtMs === null ? '' : moment(lastSuccessAtMs, nowMs)}.
    </p>
    ${failure === null ? '' : html`<p class="trouble">${failureText(failure, nowMs)}</p>`}
    ${missing.length === 0 ? '' : html`<p class="trouble">Not in the last answer: ${missingText(missing)}</p>`}`;
}

function trendSection(row: QuotaRow, nowMs: number): Html {
  const trend = trendOf(row);
  const { quota, thresholds } = row;
  const { limit, remaining, used } = quota;
  const lines = [
    { className: 'limit', used: limit },
    ...Object.entries(thresholds ?? {}).map(([className, threshold]) => ({
      className,
      used: (used === null || remaining === null ? limit : used + remaining) - threshold,
    })),
  ];
  return html`<section id="trend" aria-labelledby="trend-title">
    <h2 id="trend-title">Trend</h2>
    <p class="trend">${changeText(trend)}</p>
    ${trendChart(row, trend, nowMs, lines)}
    <p class="axis">
      <span>${rounded(windowSteps * trend.stepMs)} ago</span>
      <span>dashed: the limit${thresholds === null ? '' : ' and the thresholds'}</span>
      <span>now</span>
    </p>
  </section>`;
}

function changesSection(row: QuotaRow, view: MonitorView, nowMs: number): Html {
  const changes = newestFirst(view.published.changes()).filter((change) => concerns(change, row));
  return html`<section id="changes" aria-labelledby="changes-title">
    <h2 id="changes-title">Changes</h2>
    ${
      changes.length === 0
        ? html`<p class="empty">Its limit has not changed since the first poll.</p>`
        : html`<ul>
            ${changes.map(
              (change) =>
                html`<li>
                  ${view.collectors.changeText(change)}, ${moment(change.atMs, nowMs)}
                  <small>${exactTime(change.atMs)}</small>
                </li>`,
            )}
          </ul>`
    }
  </section>`;
}

/** A change of this quota, or of its zone as a whole. */
function concerns(change: Change, { quota, watched }: QuotaRow): boolean {
  return (
    targetKey(change) === targetKey(watched.record.target) &&
    change.zone === quota.zone &&
    (change.quotaType === null || change.quotaType === quota.type)
  );
}
