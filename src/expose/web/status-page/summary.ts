/** The top of the status page: the verdict, problems of the monitor itself, and its cycles. */
import { html } from 'hono/html';
import { counted, figure } from '../../number-format.ts';
import type { MonitorView } from '../../monitor-view.ts';
import { clusterTroubles } from './cluster-sections.ts';
import { duration, exactTime, moment, type Html } from './format.ts';
import type { Level } from './document.ts';
import type { StatusModel, Summary } from './model.ts';

export interface Verdict {
  readonly level: Level;
  readonly text: string;
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function knownNow({ critical, warning, fine }: Summary['quotas']): number {
  return critical + warning + fine;
}

/** The overall state in one sentence. */
export function verdictOf({ quotas, targets }: Summary): Verdict {
  const known = knownNow(quotas);
  const watched = sumOf(targets);
  const problems = [
    quotas.critical > 0 && `${counted(quotas.critical, 'quota')} critical`,
    quotas.warning > 0 && `${counted(quotas.warning, 'quota')} low`,
    targets.failing > 0 && `${counted(targets.failing, 'target')} failing`,
    targets.incomplete > 0 && `${counted(targets.incomplete, 'target')} incomplete`,
    targets.stale > 0 && `${counted(targets.stale, 'target')} stale`,
    targets.pending > 0 && `${counted(targets.pending, 'target')} not polled yet`,
  ].filter((text) => text !== false);
  if (problems.length > 0) {
    const isCritical = quotas.critical > 0 || targets.failing > 0;
    return { level: isCritical ? 'critical' : 'warning', text: problems.join(', ') };
  }
  return {
    level: 'fine',
    text: `${figure(targets.up)} of ${counted(watched, 'target')} up, 0 of ${counted(known, 'quota')} low`,
  };
}

/** The present problems of the monitor itself. */
export function troubles(view: MonitorView, nowMs: number): Html[] {
  const cluster = view.cluster();
  const { lastReloadSuccessful, lastReloadSuccessMs } = view.status();
  const found = cluster === null ? storageTroubles(view) : clusterTroubles(cluster, nowMs);
  if (!lastReloadSuccessful) {
    found.push(
      html`<strong>The configuration was not reloaded.</strong> The one of
        ${exactTime(lastReloadSuccessMs)} stays in force; the log says why.`,
    );
  }
  for (const warning of view.warnings()) {
    found.push(html`<strong>The configuration is dangerous.</strong> ${warning}.`);
  }
  return found.map((text) => html`<p class="trouble" role="alert">${text}</p>`);
}

function storageTroubles(view: MonitorView): Html[] {
  const problem = view.storageProblem();
  if (problem === null) return [];
  return [
    html`<strong>Records cannot be stored.</strong> Polling goes on; a restart would go on from what
      was stored before. ${problem}`,
  ];
}

/** Numbers of all targets, without the filter. */
export function summaryList({ summary, nowMs }: StatusModel, view: MonitorView): Html {
  const { quotas, targets } = summary;
  const status = view.status();
  const { nextCycleMs } = status;
  const cycles = [...status.cycles.values()];
  const skipped = cycles.reduce((sum, each) => sum + sumOf(each.skipped), 0);
  const completed = cycles.reduce((sum, each) => sum + each.completed, 0);
  const durations = cycles.flatMap(({ lastDurationMs }) => lastDurationMs ?? []);
  const lastCycleDurationMs = durations.length === 0 ? null : Math.max(...durations);
  const watched = sumOf(targets);
  const { version, revision } = view.build;
  const items: [term: string, value: Html, detail: Html | string][] = [
    [
      'Quotas',
      html`${figure(quotas.critical)} <span>critical</span> ${figure(quotas.warning)}
        <span>low</span>`,
      `of ${figure(knownNow(quotas))} known now, ${figure(quotas.stale)} stale, ${figure(quotas.unknown)} unknown`,
    ],
    [
      'Targets',
      html`${figure(targets.up)} <span>of ${figure(watched)} up</span>`,
      `${figure(targets.failing)} failing, ${figure(targets.incomplete)} incomplete, ${figure(targets.stale)} stale, ${figure(targets.pending)} not polled yet`,
    ],
    [
      'Last cycle',
      lastCycleDurationMs === null
        ? html`<span>not ended yet</span>`
        : html`${duration(lastCycleDurationMs)}`,
      `${counted(completed, 'cycle')}, ${figure(skipped)} skipped`,
    ],
    [
      'Next cycle',
      nextCycleMs === null ? html`<span>none is due</span>` : html`${moment(nextCycleMs, nowMs)}`,
      nextCycleMs === null ? '' : exactTime(nextCycleMs),
    ],
    [
      'Version',
      html`${version}`,
      html`${revision === '' ? '' : html`${revision.slice(0, 8)}, `}started
      ${moment(view.startedAtMs, nowMs)}`,
    ],
  ];
  return html`<dl class="summary">
    ${items.map(
      ([term, value, detail]) =>
        html`<div>
          <dt>${term}</dt>
          <dd>${value}</dd>
          <dd class="detail">${detail}</dd>
        </div>`,
    )}
  </dl>`;
}
