/** The tables of targets: those with problems, those of one collector, and their changes. */
import { html } from 'hono/html';
import type { Change } from '../../model/change.ts';
import { runbookLink } from '../../model/links.ts';
import { credentialsAdvice } from '../credentials-advice.ts';
import { placeLabels } from '../filter.ts';
import { addressOf, line, time, type Html } from './html.ts';
import type { TargetState } from '../severity.ts';
import { shortened } from '../text.ts';
import type { Watched } from '../watched.ts';
import { placeCells, type ShownRow, type TableSettings } from './table.ts';

const targetAlerts: Readonly<Partial<Record<TargetState, string>>> = {
  failing: 'CvmMonitorTargetFailing',
  incomplete: 'CvmMonitorTargetIncomplete',
  stale: 'CvmMonitorTargetStale',
};

/** A target that was not polled successfully and completely, and what to do about it. */
export function problemRow(watched: Watched, settings: TableSettings): ShownRow {
  const { collectors, links, today } = settings;
  const { isFresh, state } = watched;
  const { seen, target } = watched.record;
  const isStale = state === 'failing' && !isFresh && seen.snapshot !== null;
  const texts = [state === 'pending' ? 'not polled yet' : state, isStale ? 'stale' : ''];
  const href = runbookLink(links.runbooks, targetAlerts[state], placeLabels(target));
  const problem = { texts: problemTexts(watched), html: failureCell(watched, today) };
  return {
    word: state,
    cells: [
      { role: 'state', title: 'State', texts, href },
      { role: 'name', title: 'Target', texts: [collectors.nameOf(target)] },
      ...placeCells(target),
      { role: 'lines problem', title: 'Problem', ...problem },
      { role: 'time', title: 'Last success', html: time(seen.freshness.lastSuccessAtMs, today) },
    ],
  };
}

/** Maximum number of missing parts that a row names. The JSON API names all of them. */
const maxMissingShown = 5;

function problemTexts({ collector, record: { seen }, state }: Watched): readonly string[] {
  const { failure } = seen.freshness;
  if (failure !== null) {
    const action = `name/${collector.service.service}:${collector.operation}`;
    const isDenied = failure.code.startsWith('UnauthorizedOperation');
    return [failure.code, failure.message, isDenied ? `permission: ${action}` : ''];
  }
  if (state === 'stale') return ['no poll since the last success'];
  return shortened(seen.snapshot?.missing ?? [], maxMissingShown);
}

/** With what to do about it, and the RequestId that the support of the service asks for. `null` without a failure. */
function failureCell(watched: Watched, today: string): Html | null {
  const { failure } = watched.record.seen.freshness;
  if (failure === null) return null;
  const { message, requestId, sinceMs } = failure;
  const [code = '', ...texts] = problemTexts(watched);
  const advice = credentialsAdvice(failure);
  if (advice !== null && advice !== message) texts.push(advice);
  const support = html`RequestId <code class="request-id">${requestId}</code>`;
  return html`<code>${code}</code> since ${time(sinceMs, today)} ${texts.filter(Boolean).map(line)}
    ${requestId === null ? '' : line(support)}`;
}

/** A target of a kind with a table of its own. */
export function kindRow(watched: Watched, { collectors, today }: TableSettings): ShownRow {
  const { collector, isFresh, record, state } = watched;
  const { account, region, resource } = record.target;
  const { columns = [], nameLabel = '' } = collector.table ?? {};
  const own = collector.table?.cells(record) ?? [];
  const change = record.counted.recentChanges.at(-1);
  const changed = change === undefined ? null : html`${collectors.changeText(change)}`;
  const texts = [collectors.nameOf(record.target)];
  const href = addressOf({ ...resource, account, region });
  return {
    word: isFresh ? state : 'stale',
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
