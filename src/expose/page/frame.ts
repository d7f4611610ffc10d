/** The page around its tables: what is first read, the form, the end. */
import { html } from 'hono/html';
import type { Asked, Filter } from '../filter.ts';
import type { MonitorView } from '../monitor-view.ts';
import { counted, figure, shortened } from '../text.ts';
import type { Verdict } from '../verdict.ts';
import type { Watched } from '../watched.ts';
import { clusterTroubles, type Trouble } from './cluster.ts';
import { addressOf, duration, exactTime, time, type Html } from '../tables/html.ts';

/** Maximum number of lines of a refused configuration. The log has all. */
const maxMistakes = 20;

/** What is not known, what is wrong, and the problems of the monitor itself. */
export function heading(verdict: Verdict, view: MonitorView, nowMs: number, today: string): Html {
  const { clauses, level } = verdict;
  return html`<div class="verdict ${level}">
      ${clauses.map(
        ({ detail, sinceMs, text }) =>
          html`<p>
            ${text}${sinceMs === undefined ? '' : html` since ${time(sinceMs, today)}`}
            ${detail === undefined ? '' : html`<small>${detail}</small>`}
          </p>`,
      )}
    </div>
    ${troubles(view, nowMs).map(
      ([what, more]) =>
        html`<div class="trouble" role="alert"><strong>${what}</strong> ${more}</div>`,
    )}`;
}

function troubles(view: MonitorView, nowMs: number): readonly Trouble[] {
  const cluster = view.cluster();
  const { reload, storage } = view.status();
  const found: Trouble[] = cluster === null ? [] : clusterTroubles(cluster, nowMs);
  for (const warning of view.warnings()) {
    found.push(['The configuration is dangerous.', warning]);
  }
  if (cluster === null && storage.problem !== null) {
    const more = `Polling goes on; changes are counted when records can be stored again. ${storage.problem}`;
    found.push(['Records cannot be stored.', more]);
  }
  if (reload.problem !== null) {
    const mistakes = shortened(reload.problem.split('\n'), maxMistakes);
    const more = html`The one of ${exactTime(reload.successMs)} stays in force.
      <ul>
        ${mistakes.map((each) => html`<li>${each}</li>`)}
      </ul>`;
    found.push(['The configuration was not reloaded.', more]);
  }
  return found;
}

/** The facts of the whole, without the filter. */
export function facts(
  all: readonly Watched[],
  { known, targets }: Verdict,
  view: MonitorView,
  today: string,
): Html {
  const { cycles, leftOut, nextCycleMs } = view.status();
  const skipped = [...cycles.values()].flatMap((each) => Object.values(each.skipped));
  const skips = skipped.reduce((sum, count) => sum + count, 0);
  const [last] = [...cycles.values()].toSorted(
    (a, b) => (b.lastStartedAtMs ?? 0) - (a.lastStartedAtMs ?? 0),
  );
  const startedAtMs = last?.lastStartedAtMs ?? null;
  const { revision, version } = view.build;
  const took = last?.lastDurationMs ?? null;
  const regions = [...leftOut].flatMap(([account, names]) =>
    names.map((region) => `${region} of ${account}`),
  );
  const items: readonly (readonly [term: string, value: Html | string | null])[] = [
    ['Targets', `${figure(targets('up'))} of ${figure(all.length)} up`],
    ['Quotas known', figure(known)],
    [
      'Last cycle',
      startedAtMs === null
        ? 'none yet'
        : html`${time(startedAtMs, today)}${took === null ? '' : `, took ${duration(took)}`}`,
    ],
    ['Next cycle', nextCycleMs === null ? 'none is due' : time(nextCycleMs, today)],
    ['Skipped', skips === 0 ? '' : counted(skips, 'cycle')],
    ['Left out', regions.join(', ')],
    [
      'Version',
      html`${version}${revision === '' ? '' : ` (${revision.slice(0, 8)})`}, up since
      ${time(view.startedAtMs, today)}`,
    ],
  ];
  const shown = items.filter(([, value]) => value !== '');
  return html`<dl class="facts">
    ${shown.map(
      ([term, value]) =>
        html`<div>
          <dt>${term}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** The labels that can be chosen before any is. */
const usual: Readonly<Record<string, string>> = {
  account: 'Account',
  region: 'Region',
  quota_type: 'Quota type',
};

/** A plain GET, so that a person can save the narrowed page as a link. A script adds the field that refines rows. */
export function filterForm(filter: Filter, labels: Asked['labels'], isPaused: boolean): Html {
  const names = new Set([...Object.keys(usual), ...filter.keys()]);
  const selectOf = (name: string) =>
    html`<label
      >${usual[name] ?? name}
      <select name="${name}">
        <option value="">all</option>
        ${labels[name]?.map(
          (value) =>
            html`<option ${filter.get(name)?.includes(value) === true ? 'selected' : ''}>
              ${value}
            </option>`,
        )}
      </select></label
    >`;
  return html`<search id="narrow" aria-label="Narrow down">
    <form method="get" action="./">
      ${[...names].map(selectOf)}
      ${isPaused ? html`<input type="hidden" name="refresh" value="off" />` : ''}
      <button type="submit">Narrow</button>
      ${filter.size === 0 ? '' : html`<a href="./">Show everything</a>`}
      <label class="refine" hidden
        >Find in the rows below <input type="search" id="refine" autocomplete="off"
      /></label>
    </form>
  </search>`;
}

/** The time of the page, its next reload, and the same data for programs. */
export function footer(nowMs: number, filter: Filter, refreshSeconds: number | null): Html {
  const chosen = Object.fromEntries([...filter].map(([name, values]) => [name, values[0] ?? '']));
  const quotas = (format: object) => `api/v1/quotas${addressOf({ ...chosen, ...format }).slice(2)}`;
  return html`<footer>
    <p>
      ${exactTime(nowMs)}.
      ${
        refreshSeconds === null
          ? html`Not refreshed. <a href="${addressOf(chosen)}">Refresh</a>`
          : html`Refreshed every ${refreshSeconds} s.
              <a href="${addressOf({ ...chosen, refresh: 'off' })}">Pause</a>`
      }
    </p>
    <nav aria-label="Data">
      <a href="metrics">Metrics</a> <a href="${quotas({})}">Quotas (JSON)</a>
      <a href="${quotas({ format: 'csv' })}">Quotas (CSV)</a>
      <a href="api/v1/launches">Launches (JSON)</a> <a href="api/v1/targets">Targets (JSON)</a>
      <a href="api/v1/changes">Changes (JSON)</a>
    </nav>
  </footer>`;
}
