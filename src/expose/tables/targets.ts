/** The tables of targets: those with problems, those of one collector, and their changes. */
import { html } from 'hono/html';
import type { KindTable } from '../../collectors/collector.ts';
import type { Change } from '../../model/change.ts';
import { credentialsAdvice } from '../credentials-advice.ts';
import { placeLabels } from '../filter.ts';
import { addressOf, line, time, type Html } from './html.ts';
import type { TargetState } from '../severity.ts';
import type { Watched } from '../watched.ts';
import { placeCells, runbookOf, type Cell, type Table, type TableSettings } from './table.ts';

const targetAlerts: Readonly<Partial<Record<TargetState, string>>> = {
  failing: 'CvmMonitorTargetFailing',
  incomplete: 'CvmMonitorTargetIncomplete',
  stale: 'CvmMonitorTargetStale',
};

/** Targets that were not polled successfully and completely, and what to do about them. */
export function problemTable({ collectors, links, today }: TableSettings): Table<Watched> {
  return {
    heads: {
      state: 'State',
      name: 'Target',
      where: 'Region',
      account: 'Account',
      'lines problem': 'Problem',
      time: 'Last success',
    },
    wordOf: ({ state }) => state,
    cells: (watched) => {
      const { isFresh, state } = watched;
      const { seen, target } = watched.record;
      const isStale = state === 'failing' && !isFresh && seen.snapshot !== null;
      return {
        state: {
          texts: [state === 'pending' ? 'not polled yet' : state, isStale ? 'stale' : ''],
          href: runbookOf(links, targetAlerts[state], placeLabels(target)),
        },
        name: { texts: [collectors.nameOf(target)] },
        ...placeCells(target),
        'lines problem': { texts: problemTexts(watched), html: failureCell(watched, today) },
        time: { html: time(seen.freshness.lastSuccessAtMs, today) },
      };
    },
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
  const missing = seen.snapshot?.missing ?? [];
  const more = missing.length - maxMissingShown;
  return [...missing.slice(0, maxMissingShown), more > 0 ? `and ${more} more` : ''];
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

/** The table of one collector. */
export function kindTable(kind: KindTable, { collectors, today }: TableSettings): Table<Watched> {
  const roleOf = (i: number) => `${kind.columns[i]?.isNumber === true ? 'figure' : 'detail'} ${i}`;
  return {
    heads: {
      name: kind.nameLabel,
      where: 'Region',
      account: 'Account',
      ...Object.fromEntries(kind.columns.map(({ label }, i) => [roleOf(i), label])),
      change: 'Last change',
      time: 'Seen',
    },
    wordOf: ({ isFresh, state }) => (isFresh ? state : 'stale'),
    cells: ({ record }) => {
      const { target } = record;
      const change = record.counted.recentChanges.at(-1);
      const own = kind
        .cells(record)
        .map((cell, i): [string, Cell] => [
          roleOf(i),
          { texts: cell === null ? [] : [cell.text, cell.detail ?? ''] },
        ]);
      return {
        name: {
          texts: [collectors.nameOf(target)],
          href: addressOf({ ...target.resource, account: target.account, region: target.region }),
        },
        ...placeCells(target),
        ...Object.fromEntries(own),
        change: { html: change === undefined ? null : html`${collectors.changeText(change)}` },
        time: { html: time(change?.atMs, today) },
      };
    },
  };
}

export function changeTable({ collectors, today }: TableSettings): Table<Change> {
  return {
    heads: {
      name: 'Change',
      'detail target': 'Target',
      where: 'Region',
      account: 'Account',
      time: 'Time',
    },
    cells: (change) => ({
      name: { html: html`${collectors.changeText(change)}` },
      'detail target': { texts: [collectors.nameOf(change)] },
      ...placeCells(change),
      time: { html: time(change.atMs, today) },
    }),
  };
}
