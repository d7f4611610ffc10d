/** The page around its tables: the heading with the verdict, the facts, the form that narrows down, and the footer. */
import { html } from 'hono/html';
import { countConfigurations, lateCycles } from '../../model/cluster-status.ts';
import type { Filter } from '../filter.ts';
import { timestamp } from '../json/list.ts';
import type { MonitorView } from '../monitor-view.ts';
import { link, small, time, type Html } from './html.ts';
import { numberText, firstTexts } from '../text.ts';
import type { Verdict } from '../verdict.ts';
import { isUp, type EvaluatedRecord } from '../evaluation.ts';

/** Maximum number of lines of a problem. The JSON API and the log have all. */
const maxLines = 20;

/** The verdict, and the problems of the monitor itself. */
export function heading(verdict: Verdict, view: MonitorView, nowMs: number, today: string): Html {
  const { clauses, severity } = verdict;
  return html`<div class="verdict ${severity}">
      ${clauses.map(({ cause, detail, sinceMs, table, text, worst }) => {
        const which = worst ?? detail ?? cause;
        return html`<p>
          ${link(table && `#${table}`, text)}
          ${sinceMs !== undefined && html`since ${time(sinceMs, today)}`}
          ${which !== undefined && small(which)}
        </p>`;
      })}
    </div>
    ${troubles(view, nowMs).map(
      ([what, effect, text, level = '']) =>
        text &&
        html`<div class="trouble ${level}" role="alert">
          <strong>${what}</strong> ${effect}
          <pre>${firstTexts(text.split('\n'), maxLines).join('\n')}</pre>
        </div>`,
    )}`;
}

/** A problem of the monitor itself. There is none if its text is empty or `null`. */
type Trouble = readonly [
  what: string,
  effect: Html | string,
  text: string | null,
  level?: 'warning',
];

function troubles(view: MonitorView, nowMs: number): readonly Trouble[] {
  const cluster = view.cluster();
  const { reload, storage } = view.status();
  const { problem } = cluster ?? storage;
  const effect =
    cluster === null
      ? 'Polling goes on; changes are counted when records can be stored again.'
      : 'This daemon does not poll. What it shows is from before, and becomes stale. Counters of changes are absent while reading fails.';
  const members = cluster?.members ?? [];
  const digests = members.map(({ configuration, name }) => `${configuration} ${name}`).join('\n');
  const chance = 'What is polled depends on the daemon that takes the cycle.';
  const differing = countConfigurations(members) > 1 ? digests : '';
  const waiting = (cluster === null ? [] : lateCycles(cluster, nowMs))
    .map(({ account, waitingSinceMs }) => `${account} since ${timestamp(waitingSinceMs)}`)
    .join('\n');
  const inForce = html`The one of ${time(reload.successMs)} stays in force.`;
  return [
    ['Records cannot be stored.', effect, problem],
    ['The daemons have different configurations.', chance, differing],
    ['Due cycles were not begun by any daemon.', '', waiting],
    ['The configuration is dangerous.', '', view.warnings().join('\n'), 'warning'],
    ['The configuration was not reloaded.', inForce, reload.problem],
  ];
}

/** The facts of the whole, whatever the filter is. A fact that is empty is left out. */
export function facts(
  all: readonly EvaluatedRecord[],
  { knownQuotas }: Verdict,
  view: MonitorView,
  today: string,
): Html {
  const { cycles, leftOut, nextCycleMs } = view.status();
  const { revision, version } = view.build;
  const [lastMs] = [...cycles.values()]
    .flatMap(({ lastStartedAtMs }) => lastStartedAtMs ?? [])
    .sort((a, b) => b - a);
  const regions = [...leftOut].flatMap(([account, names]) =>
    names.map((region) => `${region} of ${account}`),
  );
  const items = {
    // As API and metrics count them: an answer that lacked something is one, too.
    Targets: `${numberText(all.filter(isUp).length)} of ${numberText(all.length)} up`,
    'Quotas known': numberText(knownQuotas),
    'Last cycle': time(lastMs, today) ?? 'none yet',
    'Next cycle': time(nextCycleMs, today) ?? 'none is due',
    'Left out': regions.join(', '),
    Version: `${version} ${revision.slice(0, 8)}`,
    'Up since': time(view.startedAtMs, today),
  };
  return html`<dl class="facts">
    ${Object.entries(items).map(
      ([term, value]) =>
        value &&
        html`<div>
          <dt>${term}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/**
 * A plain GET, so that a person can save the narrowed page as a link. A script adds the field that refines rows.
 *
 * @param labels the values of each label that can be chosen
 * @param firstTable the ID of the first table below the form
 */
export function filterForm(
  filter: Filter,
  labels: Readonly<Record<string, readonly string[]>>,
  isPaused: boolean,
  firstTable: string | undefined,
): Html {
  const names = new Set(['account', 'region', 'quota_type', ...filter.keys()]);
  return html`<search id="narrow" aria-label="Narrow down">
    ${firstTable && html`<a class="skip" href="#${firstTable}">Skip to the rows</a>`}
    <form method="get" action="./">
      ${[...names].map(
        (name) =>
          html`<label
            >${name.replace('_', ' ')}
            <select name="${name}">
              <option value="">all</option>
              ${labels[name]?.map(
                (value) =>
                  html`<option ${filter.get(name)?.includes(value) === true && 'selected'}>
                    ${value}
                  </option>`,
              )}
            </select></label
          >`,
      )}
      ${isPaused && html`<input type="hidden" name="refresh" value="off" />`}
      <button type="submit">Narrow</button>
      ${filter.size > 0 && html`<a href="./">Show everything</a>`}
      <label class="refine" hidden
        >Find in the rows below
        <input type="search" id="refine" autocomplete="off" /><output></output
      ></label>
    </form>
  </search>`;
}

/**
 * The time of the page, its reload, and links to the same data for programs.
 *
 * @param refreshSeconds the time to the reload; `null` for a page that is paused
 */
export function footer(nowMs: number, query: string, refreshSeconds: number | null): Html {
  const filter = new URLSearchParams(query);
  filter.delete('refresh');
  return html`<footer>
    <p>
      ${time(nowMs)}.
      ${
        refreshSeconds === null
          ? html`Not refreshed. <a href="./?${filter}">Refresh</a>`
          : html`Refreshed every ${refreshSeconds} s.
              <a href="./?refresh=off&amp;${filter}">Pause</a>`
      }
    </p>
    <nav aria-label="Data">
      <a href="metrics">Metrics</a> <a href="api/v1/quotas?${filter}">Quotas (JSON)</a>
      <a href="api/v1/quotas?format=csv&amp;${filter}">Quotas (CSV)</a>
      <a href="api/v1/launches">Launches (JSON)</a> <a href="api/v1/targets">Targets (JSON)</a>
      <a href="api/v1/changes">Changes (JSON)</a>
    </nav>
  </footer>`;
}
