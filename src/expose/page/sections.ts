/** The parts of the page around its rows: what is first read, the form, tables, a cluster, the end. */
import { html, raw } from 'hono/html';
import { configurationsOf, lateCycles, type ClusterStatus } from '../../model/cluster-status.ts';
import { valuesOf, type Filter } from '../filter.ts';
import type { MonitorView } from '../monitor-view.ts';
import { counted, figure } from '../number-format.ts';
import type { Tally, Verdict } from '../verdict.ts';
import type { Watched } from '../watched.ts';
import { addressOf, duration, exactTime, id, none, tag, textOf, time, type Html } from './html.ts';
import { row, type Column } from './rows.ts';

/** Maximum number of lines of a refused configuration. The log has all. */
const maxMistakes = 20;

export interface TableOptions {
  readonly id: string;
  readonly title: string;
  /** Describes the rows and their order. */
  readonly caption: string;
  readonly columns: readonly Column[];
  /** The markup of the rows that are shown. */
  readonly rows: readonly string[];
  /** Number of rows with those that are not shown. */
  readonly total: number;
  /** The text for a table without rows. */
  readonly empty: string;
}

export function tableSection(options: TableOptions): Html {
  const { caption, columns, empty, id: name, rows, title, total } = options;
  const more = total - rows.length;
  return html`<section id="${name}" aria-labelledby="${name}-title">
    <h2 id="${name}-title">${title} <span class="count">${figure(total)}</span></h2>
    ${
      total === 0
        ? html`<p class="empty">${empty}</p>`
        : html`<table role="table" class="rows ${name}">
            <caption>
              ${caption}
            </caption>
            <thead role="rowgroup">
              <tr role="row">
                ${columns.map(
                  ({ className, label }) =>
                    html`<th role="columnheader" scope="col" class="${className}">${label}</th>`,
                )}
              </tr>
            </thead>
            <tbody role="rowgroup">
              ${raw(rows.join(''))}
            </tbody>
          </table>`
    }
    ${
      more <= 0
        ? ''
        : html`<p class="more">and ${figure(more)} more: <a href="#narrow">narrow it down</a></p>`
    }
  </section>`;
}

/** What is not known, what is wrong, and the problems of the monitor itself. */
export function heading(verdict: Verdict, view: MonitorView, nowMs: number, today: string): Html {
  const { clauses, level } = verdict;
  return html`<div class="verdict ${level}">
      ${clauses.map(
        ({ sinceMs, text }) =>
          html`<p>${text}${sinceMs === null ? '' : html` since ${time(sinceMs, today)}`}</p>`,
      )}
    </div>
    ${troubles(view, nowMs).map((text) => html`<div class="trouble" role="alert">${text}</div>`)}`;
}

function troubles(view: MonitorView, nowMs: number): Html[] {
  const cluster = view.cluster();
  const storage = view.storageProblem();
  const reload = view.reloadProblem();
  const found = cluster === null ? [] : clusterTroubles(cluster, nowMs);
  found.push(
    ...view
      .warnings()
      .map((text) => html`<strong>The configuration is dangerous.</strong> ${text}`),
  );
  if (cluster === null && storage !== null) {
    found.push(
      html`<strong>Records cannot be stored.</strong> Polling goes on; changes are counted when
        records can be stored again. ${storage}`,
    );
  }
  for (const warning of view.warnings()) {
    found.push(html`<strong>The configuration is dangerous.</strong> ${warning}`);
  }
  if (reload !== null) {
    const lines = reload.split('\n');
    found.push(
      html`<strong>The configuration was not reloaded.</strong> The one of
        ${exactTime(view.status().lastReloadSuccessMs)} stays in force.
        <ul>
          ${lines.slice(0, maxMistakes).map((line) => html`<li>${line}</li>`)}
          ${lines.length > maxMistakes ? html`<li>and ${lines.length - maxMistakes} more</li>` : ''}
        </ul>`,
    );
  }
  return found;
}

/** What keeps the daemons from polling as configured. */
function clusterTroubles(cluster: ClusterStatus, nowMs: number): Html[] {
  const { members, problem } = cluster;
  const configurations = configurationsOf(members);
  const late = lateCycles(cluster, nowMs);
  const found: Html[] = [];
  if (problem !== null) {
    found.push(
      html`<strong>This daemon does not poll.</strong> What it shows is from before, and becomes
        stale. Counters of changes are absent while reading fails. ${problem}`,
    );
  }
  if (configurations > 1) {
    found.push(
      html`<strong>The daemons have ${configurations} different configurations.</strong> What is
        polled depends on the daemon that takes the cycle.`,
    );
  }
  if (late.length > 0) {
    const oldestMs = Math.min(...late.map(({ waitingSinceMs }) => waitingSinceMs));
    found.push(
      html`<strong
          >No daemon takes ${counted(late.length, 'cycle')} that ${late.length === 1 ? 'is' : 'are'}
          due.</strong
        >
        The oldest was due at ${exactTime(oldestMs)} and has not begun.`,
    );
  }
  return found;
}

/** The facts of the whole, without the filter. */
export function facts(tally: Tally, view: MonitorView, today: string): Html {
  const { cycles, leftOut, nextCycleMs } = view.status();
  const skips = [...cycles.values()].flatMap(({ skipped }) => Object.values(skipped));
  const skipped = skips.reduce((sum, count) => sum + count, 0);
  const [last] = [...cycles.values()].toSorted(
    (a, b) => (b.lastStartedAtMs ?? 0) - (a.lastStartedAtMs ?? 0),
  );
  const { revision, version } = view.build;
  const took = last === undefined ? null : last.lastDurationMs;
  const regions = [...leftOut].flatMap(([account, names]) =>
    names.map((region) => `${region} of ${account}`),
  );
  const items: (readonly [term: string, value: Html])[] = [
    ['Targets', html`${figure(tally.targets.up)} of ${figure(tally.allTargets)} up`],
    ['Quotas known', html`${figure(tally.known)}`],
    [
      'Last cycle',
      (last?.lastStartedAtMs ?? null) === null
        ? html`none yet`
        : html`${time(last?.lastStartedAtMs ?? 0, today)}${
            took === null ? '' : `, took ${duration(took)}`
          }`,
    ],
    ['Next cycle', nextCycleMs === null ? html`none is due` : time(nextCycleMs, today)],
    ...(skipped === 0 ? [] : [['Skipped', html`${counted(skipped, 'cycle')}`] as const]),
    ...(regions.length === 0 ? [] : [['Left out', html`${regions.join(', ')}`] as const]),
    [
      'Version',
      html`${version}${revision === '' ? '' : ` (${revision.slice(0, 8)})`}, up since
      ${time(view.startedAtMs, today)}`,
    ],
  ];
  return html`<dl class="facts">
    ${items.map(
      ([term, value]) =>
        html`<div>
          <dt>${term}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** A plain GET, so that a person can save the narrowed page as a link. A script adds the field that refines rows. */
export function filterForm(filter: Filter, all: readonly Watched[], isPaused: boolean): Html {
  const selects = [
    { name: 'account', label: 'Account', all: 'all accounts' },
    { name: 'region', label: 'Region', all: 'all regions' },
    { name: 'quota_type', label: 'Quota type', all: 'all types' },
  ];
  const others = [...filter].filter(([name]) => selects.every((each) => each.name !== name));
  const select = ({ all: none, label, name }: (typeof selects)[number]) =>
    html`<label
      >${label}
      <select name="${name}">
        <option value="">${none}</option>
        ${valuesOf(name, all).map(
          (value) =>
            html`<option ${filter.get(name)?.includes(value) === true ? 'selected' : ''}>
              ${value}
            </option>`,
        )}
      </select></label
    >`;
  return html`<search id="narrow" aria-label="Narrow down">
    <form method="get" action="./">
      ${selects.map(select)}
      ${others.flatMap(([name, values]) =>
        values.map(
          (value) =>
            html`<label>${name}<input name="${name}" value="${value}" maxlength="200" /></label>`,
        ),
      )}
      ${isPaused ? html`<input type="hidden" name="refresh" value="off" />` : ''}
      <button type="submit">Narrow</button>
      ${filter.size === 0 ? '' : html`<a href="./">Show everything</a>`}
      <label class="refine" hidden
        >Find in the rows below <input type="search" id="refine" autocomplete="off"
      /></label>
    </form>
  </search>`;
}

/** The daemons that share the accounts, and the cycles of the accounts. */
export function clusterSections(cluster: ClusterStatus, nowMs: number, today: string): Html {
  const { accounts, members } = cluster;
  const own = members.find(({ isThis }) => isThis)?.configuration;
  const late = new Set(lateCycles(cluster, nowMs).map(({ account }) => account));
  const columnsOf = (...labels: string[]) =>
    labels.map((label, i) => ({ label, className: i === 0 ? 'name' : 'detail' }));
  const daemonColumns = columnsOf('Daemon', 'Version', 'Started', 'Configuration', 'Heard');
  const cycleColumns = columnsOf('Account', 'Daemon', 'Last cycle', 'Waiting');
  const daemons = members.map(({ configuration, isThis, name, silentMs, startedAtMs, version }) =>
    row('', daemonColumns, [
      html`${id(name)} ${isThis ? tag('muted', 'this page') : ''}`,
      version,
      time(startedAtMs, today),
      html`<code>${configuration}</code> ${
          own !== undefined && configuration !== own ? tag('low', 'differs') : ''
        }`,
      html`${duration(silentMs)} ago`,
    ]),
  );
  const cycles = accounts.map(({ account, begunAtMs, isRunning, polledBy, waitingSinceMs }) =>
    row('', cycleColumns, [
      id(account),
      polledBy === null ? none : id(polledBy),
      begunAtMs === null
        ? none
        : html`${time(begunAtMs, today)} ${isRunning ? tag('fine', 'running') : ''}`,
      waitingSinceMs === null
        ? none
        : html`due ${time(waitingSinceMs, today)} ${late.has(account) ? tag('low', 'late') : ''}`,
    ]),
  );
  return html`${tableSection({
    id: 'daemons',
    title: 'Daemons',
    caption: 'The daemons that share the accounts. Each of them shows the same targets.',
    columns: daemonColumns,
    rows: daemons.map(textOf),
    total: daemons.length,
    empty: 'Redis has told of no daemon yet.',
  })}
  ${tableSection({
    id: 'cycles',
    title: 'Cycles of accounts',
    caption: 'Which daemon polled an account last, and which cycle no daemon has begun.',
    columns: cycleColumns,
    rows: cycles.map(textOf),
    total: cycles.length,
    empty: 'No account is configured.',
  })}`;
}

/** The time of the page, its next reload, and the same data for programs. */
export function footer(nowMs: number, filter: Filter, refreshSeconds: number | null): Html {
  const chosen = Object.fromEntries([...filter].map(([name, values]) => [name, values[0] ?? '']));
  const search = addressOf(chosen).slice(2);
  const csv = addressOf({ ...chosen, format: 'csv' }).slice(2);
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
      <a href="metrics">Metrics</a> <a href="api/v1/quotas${search}">Quotas (JSON)</a>
      <a href="api/v1/quotas${csv}">Quotas (CSV)</a>
      <a href="api/v1/targets">Targets (JSON)</a>
      <a href="api/v1/changes">Changes (JSON)</a>
    </nav>
  </footer>`;
}
