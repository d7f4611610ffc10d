/** The rows of the page as text. They depend on a record, its freshness and the configuration, and on the day. */
import { html } from 'hono/html';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { KindTable, TableCell } from '../../collectors/collector.ts';
import type { Change } from '../../model/change.ts';
import { fillLink, runbookLink, type Links, type LinkValues } from '../../model/links.ts';
import type { Failure } from '../../model/record.ts';
import { credentialsAdvice } from '../credentials-problems.ts';
import { figure } from '../number-format.ts';
import { plainName, resourceText, shareText, whereOf } from '../quota-text.ts';
import { isOverdrawn, usedPart } from '../severity.ts';
import type { QuotaRow, TargetState, Watched } from '../watched.ts';
import { addressOf, id, none, tag, time, type Html } from './html.ts';
import { trendCell } from './trend-line.ts';

/** What rows are made with. */
export interface RowSettings {
  readonly links: Links;
  readonly collectors: CollectorSet;
  /** The present day in UTC. */
  readonly today: string;
}

export interface Column {
  readonly label: string;
  /** The role of its cells, for the style. Cells of `number` are sorted by their number. */
  readonly className: string;
}

/** The cells of a row, one for each column. */
type Cells = readonly (Html | string)[];

/** Maximum number of missing parts that a row names. The JSON API names all of them. */
const maxMissingShown = 5;

/**
 * The roles repeat the meaning of the elements. The style of a phone changes how tables are displayed, and browsers
 * then drop that meaning.
 */
export function row(className: string, columns: readonly Column[], cells: Cells): Html {
  return html`<tr role="row" class="${className}">
    ${columns.map(({ className: place, label }, i) =>
      place.startsWith('name')
        ? html`<th role="rowheader" scope="row" class="${place}">${cells[i]}</th>`
        : html`<td role="cell" class="${place}" data-label="${label}">${cells[i]}</td>`,
    )}
  </tr>`;
}

export const quotaColumns: readonly Column[] = [
  { label: 'State', className: 'state' },
  { label: 'Quota', className: 'name' },
  { label: 'Where', className: 'where' },
  { label: 'Account', className: 'account' },
  { label: 'Left', className: 'share number' },
  { label: 'Remaining', className: 'remaining number' },
  { label: 'Used', className: 'used number' },
  { label: 'Trend of use', className: 'trend' },
];

export function quotaRow(quotaRow: QuotaRow, { links, today }: RowSettings): Html {
  const { quota, watched, word } = quotaRow;
  const { target, seen } = watched.record;
  const { account, region, resource } = target;
  const values = {
    ...resource,
    ...quota.labels,
    account,
    region,
    zone: quota.zone,
    quota_type: quota.type,
  };
  const name = plainName(quota.type);
  const of = resourceText(quotaRow);
  const note = watched.collector.quotaNote(quota);
  const { lastSuccessAtMs } = seen.freshness;
  const runbook = ['overdrawn', 'critical', 'low'].includes(word)
    ? runbookOf(links, quotaAlert(quotaRow), values)
    : null;
  return row(word, quotaColumns, [
    tag(word, word === 'none' ? 'limit 0' : word, runbook),
    html`${
      links.grafana === null
        ? name
        : html`<a href="${fillLink(links.grafana, values)}" title="Dashboard">${name}</a>`
    }
    ${name === quota.type ? html`<small>${quota.unit}</small>` : html`<code>${quota.type}</code>`}
    ${of === '' ? '' : html`<small>${of}</small>`}
    ${note === '' ? '' : html`<small class="note">${note}</small>`}`,
    id(whereOf(quotaRow)),
    html`<a href="${addressOf({ account })}">${id(account)}</a>`,
    watched.isFresh
      ? html`${usageBar(quotaRow)} <b>${shareText(quotaRow)}</b>`
      : html`<small class="last-known"
          >known until ${lastSuccessAtMs === null ? '–' : time(lastSuccessAtMs, today)}</small
        >`,
    html`${figure(quota.remaining)} <small>of ${figure(quota.limit)}</small>`,
    figure(quota.used),
    trendCell(quotaRow),
  ]);
}

/**
 * The used part of a quota. The bar is hidden from assistive technology, because the numbers are beside it. Its
 * length is an attribute, because the policy of the page allows no style on an element.
 */
function usageBar(quotaRow: QuotaRow): Html {
  const used = Math.round((usedPart(quotaRow) ?? 0) * 1_000) / 10;
  return html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" width="100" height="1" />
    <rect class="fill" width="${used}" height="1" />
  </svg>`;
}

function quotaAlert({ quota }: QuotaRow): string {
  return isOverdrawn(quota) || quota.remaining === 0 ? 'CvmQuotaExhausted' : 'CvmQuotaLow';
}

function runbookOf({ runbooks }: Links, alert: string | null, values: LinkValues): string | null {
  return runbooks === null || alert === null ? null : runbookLink(runbooks, alert, values);
}

const targetAlerts: Readonly<Record<TargetState, string | null>> = {
  failing: 'CvmMonitorTargetFailing',
  incomplete: 'CvmMonitorTargetIncomplete',
  stale: 'CvmMonitorTargetStale',
  pending: null,
  up: null,
};

export const problemColumns: readonly Column[] = [
  { label: 'State', className: 'state' },
  { label: 'Target', className: 'name' },
  { label: 'Region', className: 'where' },
  { label: 'Account', className: 'account' },
  { label: 'Problem', className: 'detail' },
  { label: 'Last success', className: 'time' },
];

/** A target that was not polled successfully and completely, and what to do about it. */
export function problemRow(watched: Watched, { collectors, links, today }: RowSettings): Html {
  const { isFresh, record, state } = watched;
  const { failure, lastSuccessAtMs } = record.seen.freshness;
  const { account, region, resource } = record.target;
  const values = { account, region, ...resource };
  const runbook = runbookOf(links, targetAlerts[state], values);
  const isStaleToo = state === 'failing' && !isFresh && lastSuccessAtMs !== null;
  return row(state, problemColumns, [
    html`${tag(state, state === 'pending' ? 'not polled yet' : state, runbook)}
    ${isStaleToo ? tag('stale', 'stale') : ''}`,
    id(collectors.nameOf(record.target)),
    html`<a href="${addressOf({ account, region })}">${id(region)}</a>`,
    html`<a href="${addressOf({ account })}">${id(account)}</a>`,
    failure === null ? missingText(watched) : failureText(failure, today),
    lastSuccessAtMs === null ? html`<span class="none">never</span>` : time(lastSuccessAtMs, today),
  ]);
}

/** The RequestId is what the support of the service asks for. A script adds a button that copies it. */
function failureText(failure: Failure, today: string): Html {
  const { code, message, requestId, sinceMs } = failure;
  const advice = credentialsAdvice(failure);
  return html`<code>${code.split(/(?<=\.)/).map((part) => html`${part}<wbr />`)}</code> since
    ${time(sinceMs, today)}
    <small class="message">${message}</small>
    ${advice === null || advice === message ? '' : html`<small class="message">${advice}</small>`}
    ${
      requestId === null
        ? ''
        : html`<small class="message"
            >RequestId <code class="request-id">${requestId}</code></small
          >`
    }`;
}

/** The missing parts of the last answer: the first few, and the number of the others. */
function missingText({ record: { seen }, state }: Watched): Html {
  const missing = seen.snapshot?.missing ?? [];
  const more = missing.length - maxMissingShown;
  if (state === 'stale') return html`no poll since the last success`;
  if (missing.length === 0) return none;
  return html`${missing
    .slice(0, maxMissingShown)
    .map((text) => html`<span class="message">${text}</span>`)}
  ${more > 0 ? html`<small class="message">and ${more} more</small>` : ''}`;
}

/** The columns of a collector's own table. */
export function kindColumns({ columns, nameLabel }: KindTable): readonly Column[] {
  return [
    { label: nameLabel, className: 'name' },
    { label: 'Region', className: 'where' },
    { label: 'Account', className: 'account' },
    ...columns.map(({ isNumber, label }) => ({
      label,
      className: isNumber === true ? 'figure number' : 'detail',
    })),
    { label: 'Last change', className: 'detail' },
    { label: 'Seen', className: 'time' },
  ];
}

export function kindRow(watched: Watched, table: KindTable, settings: RowSettings): Html {
  const { collectors, today } = settings;
  const { isFresh, record, state } = watched;
  const { account, region, resource = {} } = record.target;
  const last = record.counted.recentChanges.at(-1);
  const word = isFresh ? state : 'stale';
  const name = id(collectors.nameOf(record.target));
  return row(isFresh ? 'fine' : 'stale', kindColumns(table), [
    html`<a href="${addressOf({ account, region, ...resource })}">${name}</a> ${
        word === 'up' ? '' : tag(word, word === 'pending' ? 'not polled yet' : word)
      }`,
    html`<a href="${addressOf({ account, region })}">${id(region)}</a>`,
    html`<a href="${addressOf({ account })}">${id(account)}</a>`,
    ...table.cells(record).map(tableCell),
    last === undefined ? none : collectors.changeText(last),
    last === undefined ? none : time(last.atMs, today),
  ]);
}

function tableCell(cell: TableCell): Html {
  if (cell === null) return none;
  const { detail, text } = cell;
  return detail === undefined ? html`${text}` : html`${text} <small>${detail}</small>`;
}

export const changeColumns: readonly Column[] = [
  { label: 'Change', className: 'name wide' },
  { label: 'Target', className: 'detail' },
  { label: 'Region', className: 'where' },
  { label: 'Account', className: 'account' },
  { label: 'Time', className: 'time' },
];

export function changeRow(change: Change, { collectors }: RowSettings): Html {
  const { account, atMs, region } = change;
  return row('', changeColumns, [
    collectors.changeText(change),
    id(collectors.nameOf(change)),
    html`<a href="${addressOf({ account, region })}">${id(region)}</a>`,
    html`<a href="${addressOf({ account })}">${id(account)}</a>`,
    time(atMs, ''),
  ]);
}
