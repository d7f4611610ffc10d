/** The rows of targets: those with problems, those of one kind, their changes, and the daemons that poll them. */
import type { Change } from '../../model/change.ts';
import type { ClusterMember } from '../../model/cluster-status.ts';
import { credentialsAdvice } from '../../credentials/advice.ts';
import type { TargetState } from '../../model/record.ts';
import { runbookLink } from '../../model/links.ts';
import { pageAddress, targetLabels } from '../filter.ts';
import { firstTexts } from '../text.ts';
import type { EvaluatedRecord } from '../evaluation.ts';
import { failureContent, textContent, timeContent } from './page-content.ts';
import { regionCells, type Cell, type TableRow, type TableSettings } from './table.ts';

/** The alert whose runbook explains a state. */
const targetAlerts: Readonly<Partial<Record<TargetState, string>>> = {
  failing: 'CvmMonitorTargetFailing',
  incomplete: 'CvmMonitorTargetIncomplete',
  stale: 'CvmMonitorTargetStale',
};

/** A target that was not polled successfully and completely, and what to do about it. */
export function problemTableRow(evaluated: EvaluatedRecord, settings: TableSettings): TableRow {
  const { collectors, links } = settings;
  const { record, state } = evaluated;
  const { lastSuccessAtMs } = record.observed.freshness;
  const href = runbookLink(links.runbooks, targetAlerts[state], targetLabels(record.target));
  return {
    state,
    cells: [
      { role: 'state', title: 'State', texts: [state], href },
      { role: 'name', title: 'Target', texts: [collectors.nameOf(record.target)] },
      ...regionCells(record.target),
      { role: 'lines problem', title: 'Problem', ...problemOf(evaluated) },
      { role: 'time', title: 'Last success', content: timeContent(lastSuccessAtMs) },
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
  const lines = new Set([message, ...permission, credentialsAdvice(failure) ?? message]);
  return {
    texts: [code, message, ...permission],
    content: failureContent(failure, lines),
  };
}

/** A target of a kind that has a table. */
export function kindTableRow(
  { collector, isFresh, record }: EvaluatedRecord,
  { collectors }: TableSettings,
): TableRow {
  const { account, region, resource } = record.target;
  const { columns = [], nameLabel = '' } = collector.table ?? {};
  const kindCells = collector.table?.cells(record) ?? [];
  const change = record.durable.recentChanges.at(-1);
  const changed = change ? textContent(collectors.changeText(change)) : null;
  const texts = [collectors.nameOf(record.target), isFresh ? '' : 'stale'];
  const href = pageAddress({ ...resource, account, region });
  return {
    state: isFresh ? 'up' : 'stale',
    cells: [
      { role: 'name', title: nameLabel, texts, href },
      ...regionCells(record.target),
      ...columns.map(({ isNumber, label }, i) => ({
        role: `${isNumber === true ? 'figure' : 'detail'} ${i}`,
        title: label,
        texts: kindCells[i] ? [kindCells[i].text, kindCells[i].detail ?? ''] : [],
      })),
      { role: 'change', title: 'Last change', content: changed },
      { role: 'time', title: 'Seen', content: timeContent(change?.atMs) },
    ],
  };
}

export function changeTableRow(change: Change, { collectors }: TableSettings): TableRow {
  return {
    cells: [
      { role: 'name', title: 'Change', content: textContent(collectors.changeText(change)) },
      { role: 'detail target', title: 'Target', texts: [collectors.nameOf(change)] },
      ...regionCells(change),
      { role: 'time', title: 'Time', content: timeContent(change.atMs) },
    ],
  };
}

export function daemonTableRow(member: ClusterMember): TableRow {
  const { configuration, isThis, name, silentMs, startedAtMs, version } = member;
  return {
    cells: [
      { role: 'name', title: 'Daemon', texts: [name, isThis ? 'this page' : ''] },
      { role: 'detail version', title: 'Version', texts: [version] },
      { role: 'detail started', title: 'Started', content: timeContent(startedAtMs) },
      { role: 'detail configuration', title: 'Configuration', texts: [configuration] },
      { role: 'figure', title: 'Silent for', texts: [`${(silentMs / 1_000).toFixed(1)} s`] },
    ],
  };
}
