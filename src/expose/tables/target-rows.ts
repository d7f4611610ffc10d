/** The rows of targets: those with problems, those of one kind, their changes, and the daemons that poll them. */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { Change } from '../../model/change.ts';
import type { ClusterMember } from '../../model/cluster-status.ts';
import { credentialsAdvice } from '../../credentials/advice.ts';
import type { TargetState } from '../../model/record.ts';
import { runbookLink, type Links } from '../../model/links.ts';
import { pageAddress, targetLabels } from '../filter.ts';
import { firstTexts } from '../text.ts';
import type { EvaluatedRecord } from '../evaluation.ts';
import { regionCells, timeCell, type Cell, type TableRow } from './table.ts';

/** The alert whose runbook explains a state. */
const targetAlerts: Readonly<Partial<Record<TargetState, string>>> = {
  failing: 'CvmMonitorTargetFailing',
  denied: 'CvmMonitorTargetFailing',
  incomplete: 'CvmMonitorTargetIncomplete',
  stale: 'CvmMonitorTargetStale',
};

/** A target that was not polled successfully and completely, and what to do about it. */
export function problemTableRow(
  evaluated: EvaluatedRecord,
  collectors: CollectorSet,
  { runbooks }: Links,
): TableRow {
  const { record, state } = evaluated;
  const href = runbookLink(runbooks, targetAlerts[state], targetLabels(record.target));
  return {
    state,
    cells: [
      { role: 'state', title: 'State', texts: [state], href },
      { role: 'name', title: 'Target', texts: [collectors.nameOf(record.target)] },
      ...regionCells(record.target),
      { role: 'lines problem', title: 'Problem', ...problemOf(evaluated) },
      timeCell('Last success', record.observed.freshness.lastSuccessAtMs),
    ],
  };
}

/** Maximum number of missing parts that a row names. The JSON API names all of them. */
const maxMissingShown = 5;

/** The page adds what to do about a failure, and the RequestId that the support of the service asks for. */
function problemOf({ collector, record }: EvaluatedRecord): Pick<Cell, 'texts' | 'content'> {
  const { freshness, snapshot } = record.observed;
  const { failure } = freshness;
  if (failure === null) return { texts: firstTexts(snapshot?.missing ?? [], maxMissingShown) };
  const { code, message } = failure;
  const isDenied = code.startsWith('UnauthorizedOperation');
  const permission = isDenied ? [`permission: ${collector.actions.join(', ')}`] : [];
  const advice = credentialsAdvice(failure);
  const lines = new Set([message, ...permission, advice ?? []].flat());
  // Below its table, `check` says once for an account what its credentials lack.
  const texts = advice === message ? [code] : [code, message, ...permission];
  return { texts, content: { failure, lines: [...lines] } };
}

/** A target of a kind that has a table. */
export function kindTableRow(
  { collector, isFresh, record }: EvaluatedRecord,
  collectors: CollectorSet,
): TableRow {
  const { account, region, resource } = record.target;
  const { columns = [], nameLabel = '' } = collector.table ?? {};
  const kindCells = collector.table?.cells(record) ?? [];
  const change = record.durable.recentChanges.at(-1);
  const changed = change ? collectors.changeText(change) : null;
  const called = collector.table?.calledBy?.(record) ?? '';
  const texts = [called, collectors.nameOf(record.target)].filter((text) => text !== '');
  const href = pageAddress({ ...resource, account, region });
  return {
    state: isFresh ? 'up' : 'stale',
    cells: [
      { role: 'name', title: nameLabel, texts: [...texts, isFresh ? '' : 'stale'], href },
      ...regionCells(record.target),
      ...columns.map(({ isNumber, label }, i) => ({
        role: `${isNumber === true ? 'figure' : 'detail'} ${i}`,
        title: label,
        texts: kindCells[i] ? [kindCells[i].text, kindCells[i].detail ?? ''] : [],
      })),
      { role: 'change', title: 'Last change', content: changed },
      timeCell('Seen', change?.atMs),
    ],
  };
}

export function changeTableRow(change: Change, collectors: CollectorSet): TableRow {
  return {
    cells: [
      { role: 'name', title: 'Change', content: collectors.changeText(change) },
      { role: 'detail target', title: 'Target', texts: [collectors.nameOf(change)] },
      ...regionCells(change),
      timeCell('Time', change.atMs),
    ],
  };
}

export function daemonTableRow(member: ClusterMember): TableRow {
  const { configuration, isThis, name, silentMs, startedAtMs, version } = member;
  return {
    cells: [
      { role: 'name', title: 'Daemon', texts: [name, isThis ? 'this page' : ''] },
      { role: 'detail version', title: 'Version', texts: [version] },
      timeCell('Started', startedAtMs, 'detail started'),
      { role: 'detail configuration', title: 'Configuration', texts: [configuration] },
      { role: 'figure', title: 'Silent for', texts: [`${(silentMs / 1_000).toFixed(1)} s`] },
    ],
  };
}
