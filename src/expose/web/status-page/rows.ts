/** The rows of the tables on the status page. */
import { html } from 'hono/html';
import type { Change } from '../../../model/change.ts';
import type { Failure } from '../../../model/record.ts';
import type { KindTable, TableCell } from '../../../collectors/collector.ts';
import type { Quota } from '../../../model/quota.ts';
import { figure, percent } from '../../number-format.ts';
import { isMuted } from '../../severity.ts';
import { mutedText, severityText, troubleText, wholeRegion } from '../../filter.ts';
import { trendOf } from '../../shown-trend.ts';
import { presentSeverity, type QuotaRow, type Watched } from '../../watched.ts';
import { changeId } from '../../json/changes.ts';
import { quotaLink } from './quota-address.ts';
import { trendCell } from './trend-line.ts';
import { usageBar } from './usage-bar.ts';
import { duration, exactTime, moment, type Html } from './format.ts';
import { shownStates, stateText, tightestQuota, type StatusModel } from './model.ts';
import { targetKey, type Target } from '../../../model/target.ts';
import { linkTo, noFilter } from './query.ts';
import { quotaLinks, targetLinks } from './row-links.ts';
import type { Row } from './table.ts';

/** Maximum number of missing parts that a row names. The JSON API names all of them. */
const maxMissingShown = 5;

export const none = html`<span class="none">–</span>`;

export const shareLeft = ({ remaining, limit }: Quota) =>
  limit === 0 ? none : percent(remaining, limit);

export const unitText = ({ quota, watched: { collector } }: QuotaRow) =>
  [quota.unit, collector.quotaNote(quota)].filter((text) => text !== '').join(', ');

/**
 * A name that comes from outside. A short name is never broken. Its writing direction does not affect the text
 * around it.
 */
export const id = (name: string) => html`<bdi class="id">${name}</bdi>`;

/** Empty for an empty text. */
export function tag(kind: string, text: string): Html | '' {
  return text === '' ? '' : html`<span class="tag ${kind}">${text}</span>`;
}

/** Account and region. Each is a link to a page that is filtered by it. */
function place({ query }: StatusModel, { account, region }: { account: string; region: string }) {
  return [
    html`<a href="${linkTo(query, { account })}">${id(account)}</a>`,
    html`<a href="${linkTo(query, { account, region })}">${id(region)}</a>`,
  ] as const;
}

/** The states of a quota that its numbers do not show. */
export function quotaTags(row: QuotaRow): Html {
  const trouble = troubleText(row);
  return html`${tag(presentSeverity(row), severityText(row))} ${tag(trouble, trouble)}
  ${isMuted(row) ? tag('muted', mutedText) : ''}`;
}

export function quotaRow(row: QuotaRow, model: StatusModel): Row {
  const { quota, watched } = row;
  const { record, isFresh } = watched;
  const severity = presentSeverity(row);
  const [account, region] = place(model, record.target);
  return {
    className: severity,
    cells: [
      html`<a class="type" href="${quotaLink(row, model.query)}">${quota.type}</a>
        <small>${unitText(row)}</small>
        ${quotaTags(row)} ${quotaLinks(row, model.links)}`,
      quota.zone === null ? html`<span class="none">${wholeRegion}</span>` : id(quota.zone),
      account,
      region,
      isFresh
        ? usageBar(row)
        : html`<span class="last-known"
            >last known ${age(record.seen.freshness.lastSuccessAtMs, model)}</span
          >`,
      isFresh ? shareLeft(quota) : none,
      trendCell(row, trendOf(row), model.nowMs) ?? none,
      figure(quota.remaining),
      figure(quota.used),
      figure(quota.limit),
    ],
  };
}

export function targetRow(watched: Watched, model: StatusModel): Row {
  const { record, state } = watched;
  const {
    target,
    seen: { freshness, snapshot },
  } = record;
  const { failure, lastSuccessAtMs, lastPoll } = freshness;
  const [account, region] = place(model, target);
  return {
    className: state,
    cells: [
      html`${nameLink(target, model)} ${targetLinks(watched, model.links)}`,
      account,
      region,
      html`${shownStates(watched).map((each) => html`${tag(each, stateText[each])} `)}`,
      failure === null ? missingText(snapshot?.missing ?? []) : failureText(failure, model.nowMs),
      age(lastSuccessAtMs, model),
      lastPoll === null ? none : duration(lastPoll.durationMs),
      tightest(watched),
    ],
  };
}

/** The RequestId is what the support of the service asks for. A script adds a button that copies it. */
export function failureText({ code, message, requestId, sinceMs }: Failure, nowMs: number): Html {
  return html`<code>${breakable(code)}</code> since ${moment(sinceMs, nowMs)}
    <small class="message">${message}</small>
    ${
      requestId === null
        ? ''
        : html`<small class="message"
            >RequestId <code class="request-id">${requestId}</code></small
          >`
    }`;
}

/** An error code, with a possible line break after each dot. */
function breakable(code: string): Html[] {
  return code.split(/(?<=\.)/).map((part) => html`${part}<wbr />`);
}

function tightest(watched: Watched): Html {
  const row = tightestQuota(watched);
  if (row === null) return none;
  const { quota } = row;
  return html`${usageBar(row)} <span class="share">${shareLeft(quota)} left</span>
    <small>${quota.type} ${quota.zone ?? ''}</small>`;
}

/** The name of the target's resource. Without a resource, the name of its kind. */
function targetName(target: Target, { collectors }: StatusModel): Html {
  return target.resource === undefined
    ? html`<span class="type">${collectors.of(target).noun}</span>`
    : id(collectors.nameOf(target));
}

function nameLink(target: Target, model: StatusModel): Html {
  return html`<a href="${onlyTarget(target, model)}">${targetName(target, model)}</a>`;
}

/** The page with one target only: the permanent address of its row. */
function onlyTarget(target: Target, { query }: StatusModel, section?: string): string {
  return linkTo(query, { ...noFilter, target: targetKey(target), orders: {} }, section);
}

/** The missing parts of the last answer: the first few, and the number of the others. */
export function missingText(missing: readonly string[]): Html {
  if (missing.length === 0) return none;
  const more = missing.length - maxMissingShown;
  return html`${missing
    .slice(0, maxMissingShown)
    .map((text) => html`<small class="message">${text}</small>`)}
  ${more > 0 ? html`<small class="message">and ${more} more</small>` : ''}`;
}

export function kindRow(watched: Watched, table: KindTable, model: StatusModel): Row {
  const { record, isFresh, state } = watched;
  const {
    seen: { freshness },
    counted: { recentChanges },
  } = record;
  const [account, region] = place(model, record.target);
  const last = recentChanges.at(-1);
  return {
    className: isFresh ? 'fine' : 'stale',
    cells: [
      html`${nameLink(record.target, model)}
      ${state === 'incomplete' ? tag(state, stateText[state]) : ''}
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
  const anchor = `change-${changeId(change)}`;
  return {
    id: anchor,
    className: kind,
    cells: [
      html`${model.collectors.changeText(change)}`,
      nameLink(change, model),
      account,
      region,
      html`${moment(atMs, model.nowMs)}`,
      html`<a href="${onlyTarget(change, model, anchor)}">${exactTime(atMs)}</a>`,
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
