/** The rows of the status page's four tables. */
import { html } from 'hono/html';
import type { Change } from '../../../model/change.ts';
import type { LaunchTemplateRecord } from '../../../model/record.ts';
import { unitOf, type Quota } from '../../../model/snapshot.ts';
import { changeText } from '../../change-text.ts';
import { figure, percent } from '../../figures.ts';
import { severityOf } from '../../quota-standing.ts';
import { bar } from './bar.ts';
import { duration, moment, utc, type Html } from './format.ts';
import {
  tightestQuota,
  type QuotaRow,
  type StatusModel,
  type TargetState,
  type Watched,
} from './model.ts';
import { linkTo } from './query.ts';
import type { Row } from './table.ts';

const severityText = { critical: 'critical', warning: 'low', stale: 'stale' } as const;

const none = html`<span class="none">–</span>`;

const shareLeft = ({ remaining, limit }: Quota) => (limit === 0 ? none : percent(remaining, limit));

/** A name that others chose: never broken while it is short, and no writing direction leaves it. */
const id = (name: string) => html`<bdi class="id">${name}</bdi>`;

function tag(kind: string, text: string): Html {
  return html`<span class="tag ${kind}">${text}</span>`;
}

/** Account and region, each a link to the page that shows nothing else. */
function place({ query }: StatusModel, { account, region }: { account: string; region: string }) {
  return [
    html`<a href="${linkTo(query, { account })}">${id(account)}</a>`,
    html`<a href="${linkTo(query, { account, region })}">${id(region)}</a>`,
  ] as const;
}

export function quotaRow(row: QuotaRow, model: StatusModel): Row {
  const { quota, watched } = row;
  const { record, isFresh } = watched;
  const severity = isFresh ? severityOf(quota) : 'stale';
  const unit = quota.type === 'prepaid' ? 'instances, used this month' : unitOf[quota.type];
  const [account, region] = place(model, record.target);
  return {
    className: severity,
    cells: [
      html`<span class="type">${quota.type}</span>
        <small>${unit}</small> ${severity === 'fine' ? '' : tag(severity, severityText[severity])}`,
      quota.zone === null ? html`<span class="none">whole region</span>` : id(quota.zone),
      account,
      region,
      isFresh
        ? bar(quota)
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
  failing: 'failing',
  stale: 'stale',
  pending: 'not polled yet',
};

export function targetRow(watched: Watched, model: StatusModel): Row {
  const { record, state, isFresh } = watched;
  const { target, freshness } = record;
  const { failure, lastSuccessAtMs, lastPoll } = freshness;
  const [account, region] = place(model, target);
  const isAlsoStale = state === 'failing' && !isFresh && lastSuccessAtMs !== null;
  return {
    className: state,
    cells: [
      target.operation === 'DescribeLaunchTemplateVersions' ? id(target.templateId) : 'quotas',
      account,
      region,
      html`${tag(state, stateText[state])} ${isAlsoStale ? tag('stale', 'stale') : ''}`,
      failure === null
        ? none
        : html`<code>${breakable(failure.code)}</code> since ${moment(failure.sinceMs, model.nowMs)}
            <small class="message">${failure.message}</small>`,
      age(lastSuccessAtMs, model),
      lastPoll === null ? none : duration(lastPoll.durationMs),
      tightest(watched),
    ],
  };
}

/** An error code that may go on in the next line after each dot. */
function breakable(code: string): Html[] {
  return code.split(/(?<=\.)/).map((part) => html`${part}<wbr />`);
}

function tightest(watched: Watched): Html {
  const quota = tightestQuota(watched);
  if (quota === null) return none;
  return html`${bar(quota)} <span class="share">${shareLeft(quota)} left</span>
    <small>${quota.type} ${quota.zone ?? ''}</small>`;
}

export function templateRow(watched: Watched<LaunchTemplateRecord>, model: StatusModel): Row {
  const { record, isFresh } = watched;
  const { snapshot, freshness, recentChanges } = record;
  const [account, region] = place(model, record.target);
  const last = recentChanges.at(-1);
  const known = snapshot?.defaultVersion ?? null;
  return {
    className: isFresh ? 'fine' : 'stale',
    cells: [
      html`${id(record.target.templateId)}
      ${isFresh ? '' : lastKnown(freshness.lastSuccessAtMs, model)}`,
      account,
      region,
      known === null ? none : figure(known.version),
      snapshot === null ? none : figure(snapshot.versions.at(-1) ?? 0),
      snapshot === null ? none : figure(snapshot.versions.length),
      known === null
        ? none
        : html`${known.instanceType || '–'} <small>${known.imageId} ${known.chargeType}</small>`,
      last === undefined ? none : html`${changeText(last)}, ${moment(last.atMs, model.nowMs)}`,
    ],
  };
}

export function changeRow(change: Change, model: StatusModel): Row {
  const { atMs, kind, templateId } = change;
  const [account, region] = place(model, change);
  return {
    className: kind,
    cells: [
      html`${changeText(change)}`,
      templateId === '' ? 'quotas' : id(templateId),
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
