/** The rows of the tables on the status page. */
import { html } from 'hono/html';
import type { Change } from '../../../model/change.ts';
import type { KindTable, TableCell } from '../../../collectors/kind-table.ts';
import type { Quota } from '../../../model/quota.ts';
import { figure, percent } from '../../number-format.ts';
import { isMuted, isOverdrawn } from '../../severity.ts';
import { usageBar } from './usage-bar.ts';
import { duration, moment, utc, type Html } from './format.ts';
import {
  tightestQuota,
  type QuotaRow,
  type StatusModel,
  type TargetState,
  type Watched,
} from './model.ts';
import type { Target } from '../../../model/target.ts';
import { linkTo } from './query.ts';
import { quotaLinks, targetLinks } from './row-links.ts';
import type { Row } from './table.ts';

/** Maximum number of missing parts that a row names. The JSON API names all of them. */
const maxMissingShown = 5;

const severityText = { critical: 'critical', warning: 'low', stale: 'stale' } as const;

const none = html`<span class="none">–</span>`;

const shareLeft = ({ remaining, limit }: Quota) => (limit === 0 ? none : percent(remaining, limit));

const unitText = (quota: Quota, { collector }: Watched) =>
  [quota.unit, collector.quotaNote(quota)].filter((text) => text !== '').join(', ');

/**
 * A name that comes from outside. A short name is never broken. Its writing direction does not affect the text
 * around it.
 */
const id = (name: string) => html`<bdi class="id">${name}</bdi>`;

function tag(kind: string, text: string): Html {
  return html`<span class="tag ${kind}">${text}</span>`;
}

/** Account and region. Each is a link to a page that is filtered by it. */
function place({ query }: StatusModel, { account, region }: { account: string; region: string }) {
  return [
    html`<a href="${linkTo(query, { account })}">${id(account)}</a>`,
    html`<a href="${linkTo(query, { account, region })}">${id(region)}</a>`,
  ] as const;
}

export function quotaRow(row: QuotaRow, model: StatusModel): Row {
  const { quota, watched } = row;
  const { record, isFresh } = watched;
  const severity = isFresh ? row.severity : 'stale';
  const [account, region] = place(model, record.target);
  return {
    className: severity,
    cells: [
      html`<span class="type">${quota.type}</span>
        <small>${unitText(quota, watched)}</small>
        ${severity === 'fine' ? '' : tag(severity, isFresh && isOverdrawn(quota) ? 'overdrawn' : severityText[severity])}
        ${isMuted(row) ? tag('muted', 'muted') : ''} ${quotaLinks(row, model)}`,
      quota.zone === null ? html`<span class="none">whole region</span>` : id(quota.zone),
      account,
      region,
      isFresh
        ? usageBar(row)
        : html`<span class="last-known"
            >last known ${age(record.freshness.lastSuccessAtMs, model)}</span
          >`,
      isFresh ? shareLeft(quota) : none,
      figure(quota.remaining),
      figure(quota.used),
      figure(quota.limit),
    ],
  };
}

const stateText: Readonly<Record<TargetState, string>> = {
  up: 'up',
  incomplete: 'incomplete',
  failing: 'failing',
  stale: 'stale',
  pending: 'not polled yet',
};

export function targetRow(watched: Watched, model: StatusModel): Row {
  const { record, state, isFresh } = watched;
  const { target, freshness, snapshot } = record;
  const { failure, lastSuccessAtMs, lastPoll } = freshness;
  const [account, region] = place(model, target);
  const isAlsoStale = state === 'failing' && !isFresh && lastSuccessAtMs !== null;
  return {
    className: state,
    cells: [
      html`${targetName(target, model)} ${targetLinks(watched, model)}`,
      account,
      region,
      html`${tag(state, stateText[state])} ${isAlsoStale ? tag('stale', 'stale') : ''}`,
      failure === null
        ? missingText(snapshot?.missing ?? [])
        : html`<code>${breakable(failure.code)}</code> since ${moment(failure.sinceMs, model.nowMs)}
            <small class="message">${failure.message}</small>`,
      age(lastSuccessAtMs, model),
      lastPoll === null ? none : duration(lastPoll.durationMs),
      tightest(watched),
    ],
  };
}

/** An error code, with a possible line break after each dot. */
function breakable(code: string): Html[] {
  return code.split(/(?<=\.)/).map((part) => html`${part}<wbr />`);
}

function tightest(watched: Watched): Html {
  const tightestOne = tightestQuota(watched);
  if (tightestOne === null) return none;
  const { quota } = tightestOne;
  return html`${usageBar(tightestOne)} <span class="share">${shareLeft(quota)} left</span>
    <small>${quota.type} ${quota.zone ?? ''}</small>`;
}

/** The name of the target's resource. Without a resource, the name of its kind. */
function targetName(target: Target, { collectors }: StatusModel): Html | string {
  return target.resource === undefined ? collectors.of(target).noun : id(collectors.nameOf(target));
}

/** The missing parts of the last answer: the first few, and the number of the others. */
function missingText(missing: readonly string[]): Html {
  if (missing.length === 0) return none;
  const more = missing.length - maxMissingShown;
  return html`${missing
    .slice(0, maxMissingShown)
    .map((text) => html`<small class="message">${text}</small>`)}
  ${more > 0 ? html`<small class="message">and ${more} more</small>` : ''}`;
}

export function kindRow(watched: Watched, table: KindTable, model: StatusModel): Row {
  const { record, isFresh } = watched;
  const { freshness, recentChanges } = record;
  const [account, region] = place(model, record.target);
  const last = recentChanges.at(-1);
  return {
    className: isFresh ? 'fine' : 'stale',
    cells: [
      html`${targetName(record.target, model)}
      ${isFresh ? '' : lastKnown(freshness.lastSuccessAtMs, model)}`,
      account,
      region,
      ...table.cells(record).map(tableCell),
      last === undefined
        ? none
        : html`${model.collectors.changeText(last)}, ${moment(last.atMs, model.nowMs)}`,
    ],
  };
}

function tableCell(cell: TableCell): Html {
  if (cell === null) return none;
  const { text, detail } = cell;
  return detail === undefined ? html`${text}` : html`${text} <small>${detail}</small>`;
}

export function changeRow(change: Change, model: StatusModel): Row {
  const { atMs, kind } = change;
  const [account, region] = place(model, change);
  return {
    className: kind,
    cells: [
      html`${model.collectors.changeText(change)}`,
      targetName(change, model),
      account,
      region,
      html`${moment(atMs, model.nowMs)}`,
      utc(atMs),
    ],
  };
}

function lastKnown(ms: number | null, model: StatusModel): Html {
  return ms === null
    ? html`<small>not known yet</small>`
    : html`${tag('stale', 'stale')} <small>last known ${age(ms, model)}</small>`;
}

function age(ms: number | null, { nowMs }: StatusModel): Html {
  return ms === null ? html`<span class="none">never</span>` : moment(ms, nowMs);
}
