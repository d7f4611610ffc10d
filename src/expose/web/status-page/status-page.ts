/** The status page for a person on call. It needs no script: a header makes the browser reload it. */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { MonitorView } from '../../monitor-view.ts';
import { filterForm } from './filter.ts';
import { utc, type Html } from './format.ts';
import { statusModel, type StatusModel } from './model.ts';
import { linkTo, parseStatusQuery, type StatusQuery } from './query.ts';
import { changeSection, kindSection, quotaSection, targetSection } from './sections.ts';
import { style } from './style.ts';
import { summaryList, troubles, verdictOf, type Verdict } from './summary.ts';

export interface StatusPage {
  readonly html: Html;
  readonly headers: Record<string, string>;
}

const styleHash = createHash('sha256').update(style).digest('base64');

/** The page may load only its own style and its icon. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The present page, filtered by `search`. */
export function statusPage(view: MonitorView, search: URLSearchParams): StatusPage {
  const nowMs = view.clock.now();
  const query = parseStatusQuery(search, view.collectors);
  const model = statusModel(view, query, nowMs);
  const refreshSeconds = query.isPaused ? null : secondsToRefresh(view.status().nextCycleMs, nowMs);
  return {
    html: render(model, view, refreshSeconds),
    headers: {
      'Content-Security-Policy': contentSecurityPolicy,
      'Referrer-Policy': 'no-referrer',
      ...(refreshSeconds !== null && { Refresh: refreshTo(query, refreshSeconds) }),
    },
  };
}

/**
 * Contains the URL of the page. Otherwise a browser at a fragment of the page would only scroll there, and
 * would not reload.
 */
function refreshTo(query: StatusQuery, seconds: number): string {
  return `${seconds}; url=${linkTo(query, { pages: query.pages })}`;
}

/** The time to the next reload: soon after the next cycle, but at least 10 and at most 60 seconds. */
function secondsToRefresh(nextCycleMs: number | null, nowMs: number): number {
  const dueMs = nextCycleMs === null ? Infinity : nextCycleMs - nowMs + 2_000;
  return Math.min(60, Math.max(10, Math.ceil(dueMs / 1_000)));
}

function render(model: StatusModel, view: MonitorView, refreshSeconds: number | null): Html {
  const verdict = verdictOf(model.summary);
  const { kind } = model.query;
  const asked = model.collectors.all.filter((collector) => kind === '' || collector.kind === kind);
  const showsQuotas = asked.some(({ quotaSources }) => quotaSources !== null);
  const kinds = model.kinds.filter((section) => kind === '' || section.kind === kind);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${verdict.text} · cvm-quota-monitor</title>
        <link rel="icon" href="${icon(verdict)}" />
        ${raw(`<style>${style}</style>`)}
      </head>
      <body>
        <header>
          <h1>cvm-quota-monitor</h1>
          <p class="verdict ${verdict.level}">${verdict.text}</p>
          <nav aria-label="Sections">
            <a href="#quotas">Quotas</a> <a href="#targets">Targets</a>
            ${model.kinds.map(({ table }) => html`<a href="#${table.id}">${table.title}</a> `)}
            <a href="#changes">Changes</a>
          </nav>
        </header>
        <main>
          ${troubles(view)} ${summaryList(model, view)} ${filterForm(model)}
          ${showsQuotas ? quotaSection(model) : ''} ${targetSection(model)}
          ${kinds.map((section) => kindSection(section, model))} ${changeSection(model)}
        </main>
        ${footer(model, refreshSeconds)}
      </body>
    </html>`;
}

function footer({ nowMs, query }: StatusModel, refreshSeconds: number | null): Html {
  return html`<footer>
    <p>
      As of ${utc(nowMs)},
      ${
        refreshSeconds === null
          ? html`paused. <a href="${linkTo(query, { isPaused: false })}">Refresh by itself</a>`
          : html`again in ${refreshSeconds} s.
              <a href="${linkTo(query, { isPaused: true })}">Pause</a>`
      }
    </p>
    <nav aria-label="Data">
      <a href="metrics">Metrics</a> <a href="api/v1/targets">Targets (JSON)</a>
      <a href="api/v1/changes">Changes (JSON)</a>
    </nav>
  </footer>`;
}

const iconColours = { critical: 'd1242f', warning: 'bf7a00', fine: '4a7fb5' } as const;

/** A dot for the browser's tab, in the colour of the verdict. */
function icon({ level }: Verdict): string {
  const dot = `<circle cx='8' cy='8' r='7' fill='#${iconColours[level]}'/>`;
  const image = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>${dot}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(image)}`;
}
