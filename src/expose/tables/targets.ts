/** The rows of targets: those with problems, those of one collector, their changes, and the daemons that poll them. */
import { html } from 'hono/html';
import type { Change } from '../../model/change.ts';
import type { ClusterMember } from '../../model/cluster-status.ts';
import { credentialsAdvice } from '../../credentials/advice.ts';
import type { TargetState } from '../../model/judgement.ts';
import { runbookLink } from '../../model/links.ts';
import { placeLabels } from '../filter.ts';
import { shortened } from '../text.ts';
import type { EvaluatedRecord } from '../evaluated-record.ts';
import { addressOf, small, time } from './html.ts';
import { placeCells, type Cell, type ShownRow, type TableSettings } from './table.ts';

const targetAlerts: Readonly<Partial<Record<TargetState, string>>> = {
  failing: 'CvmMonitorTargetFailing',
  incomplete: 'CvmMonitorTargetIncomplete',
  stale: 'CvmMonitorTargetStale',
};

/** A target that was not polled successfully and completely, and what to do about it. */
export function problemRow(watched: EvaluatedRecord, settings: TableSettings): ShownRow {
  const { collectors, links, today } = settings;
  const { record, state } = watched;
  const { lastSuccessAtMs } = record.observed.freshness;
  const href = runbookLink(links.runbooks, targetAlerts[state], placeLabels(record.target));
  return {
    state: state,
    cells: [
      { role: 'state', title: 'State', texts: [state], href },
      { role: 'name', title: 'Target', texts: [collectors.nameOf(record.target)] },
      ...placeCells(record.target),
      { role: 'lines problem', title: 'Problem', ...problemOf(watched, today) },
      { role: 'time', title: 'Last success', html: time(lastSuccessAtMs, today) },
    ],
  };
}

/** Maximum number of missing parts that a row names. The JSON API names all of them. */
const maxMissingShown = 5;

/** The page adds what to do about a failure, and the RequestId that the support of the service asks for. */
function problemOf(watched: EvaluatedRecord, today: string): Pick<Cell, 'texts' | 'html'> {
  const { freshness, snapshot } = watched.record.observed;
  const { failure } = freshness;
  if (failure === null) return { texts: shortened(snapshot?.missing ?? [], maxMissingShown) };
  const { code, message, requestId, sinceMs } = failure;
  const isDenied = code.startsWith('UnauthorizedOperation');
  const permission = isDenied ? [`permission: ${watched.collector.actions.join(', ')}`] : [];
  const lines = new Set([message, ...permission, credentialsAdvice(failure) ?? message]);
  return {
    texts: [code, message, ...permission],
    html: html`<code>${code}</code> since ${time(sinceMs, today)} ${[...lines].map(small)}
      ${requestId && small(html`RequestId <code class="request-id">${requestId}</code>`)}`,
  };
}

/** A target of a kind with a table of its own. */
export function kindRow(watched: EvaluatedRecord, { collectors, today }: TableSettings): ShownRow {
  const { collector, isFresh, record } = watched;
  const { account, region, resource } = record.target;
  const { columns = [], nameLabel = '' } = collector.table ?? {};
  const own = collector.table?.cells(record) ?? [];
  const change = record.durable.recentChanges.at(-1);
  const changed = change && html`${collectors.changeText(change)}`;
  const texts = [collectors.nameOf(record.target), isFresh ? '' : 'stale'];
  const href = addressOf({ ...resource, account, region });
  return {
    state: isFresh ? 'up' : 'stale',
    cells: [
      { role: 'name', title: nameLabel, texts, href },
      ...placeCells(record.target),
      ...columns.map(({ isNumber, label }, i) => ({
        role: `${isNumber === true ? 'figure' : 'detail'} ${i}`,
        title: label,
        texts: own[i] ? [own[i].text, own[i].detail ?? ''] : [],
      })),
      { role: 'change', title: 'Last change', html: changed },
      { role: 'time', title: 'Seen', html: time(change?.atMs, today) },
    ],
  };
}

export function changeRow(change: Change, { collectors, today }: TableSettings): ShownRow {
  return {
    cells: [
      { role: 'name', title: 'Change', html: html`${collectors.changeText(change)}` },
      { role: 'detail target', title: 'Target', texts: [collectors.nameOf(change)] },
      ...placeCells(change),
      { role: 'time', title: 'Time', html: time(change.atMs, today) },
    ],
  };
}

export function daemonRow(member: ClusterMember, { today }: TableSettings): ShownRow {
  const { configuration, isThis, name, silentMs, startedAtMs, version } = member;
  return {
    cells: [
      { role: 'name', title: 'Daemon', texts: [name, isThis ? 'this page' : ''] },
      { role: 'detail version', title: 'Version', texts: [version] },
      { role: 'detail started', title: 'Started', html: time(startedAtMs, today) },
      { role: 'detail configuration', title: 'Configuration', texts: [configuration] },
      { role: 'figure', title: 'Silent for', texts: [`${(silentMs / 1_000).toFixed(1)} s`] },
    ],
  };
}
