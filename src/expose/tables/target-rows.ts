/**
 * The rows of the tables that are about targets: targets with problems, targets of one kind, changes of targets, and the
 * daemons that poll them. `tables.ts` makes the rows.
 */
import { html } from 'hono/html';
import type { Change } from '../../model/change.ts';
import type { ClusterMember } from '../../model/cluster-status.ts';
import type { Texts } from '../../model/texts/texts.ts';
import { credentialsAdvice } from '../../credentials/advice.ts';
import type { TargetState } from '../../model/record.ts';
import { runbookLink } from '../../model/links.ts';
import { pageAddress, targetLabels } from '../filter.ts';
import { firstTexts } from '../text.ts';
import type { EvaluatedRecord } from '../evaluation.ts';
import { since, small } from './html.ts';
import { regionCells, stateCell, timeCell, type Cell, type ToRow } from './table.ts';

/** The alert whose runbook explains a state. */
const targetAlerts: Readonly<Partial<Record<TargetState, string>>> = {
  failing: 'CvmMonitorTargetFailing',
  denied: 'CvmMonitorTargetFailing',
  incomplete: 'CvmMonitorTargetIncomplete',
  stale: 'CvmMonitorTargetStale',
};

/** A target that was not polled successfully and completely, and what to do about it. */
export const problemTableRow: ToRow<EvaluatedRecord> = (evaluated, context) => {
  const { collectors, links, texts } = context;
  const { say } = texts;
  const { record, state } = evaluated;
  const href = runbookLink(links.runbooks, targetAlerts[state], targetLabels(record.target));
  return {
    state,
    cells: [
      stateCell(state, say(state), href, texts),
      { role: 'name', title: say('Target'), texts: [texts.word(collectors.nameOf(record.target))] },
      ...regionCells(record.target, texts),
      { role: 'lines problem', title: say('Problem'), ...problemOf(evaluated, texts) },
      timeCell(say('Last success'), record.observed.freshness.lastSuccessAtMs),
    ],
  };
};

/** Maximum number of missing parts that a row names. The JSON API names all of them. */
const maxMissingShown = 5;

/**
 * Why a target fails, or which parts its last answer lacked. The page adds what to do about a failure, and the RequestId that
 * the support of the service asks for.
 */
function problemOf(
  { collector, record }: EvaluatedRecord,
  texts: Texts,
): Pick<Cell, 'texts' | 'content'> {
  const { say, word } = texts;
  const { freshness, snapshot } = record.observed;
  const { failure } = freshness;
  if (failure === null) {
    return { texts: firstTexts(snapshot?.missing ?? [], maxMissingShown, texts) };
  }
  const { code, message, requestId, sinceMs } = failure;
  const isDenied = code.startsWith('UnauthorizedOperation');
  const actions = collector.actions.join(', ');
  const permission = isDenied ? [say('permission: {actions}', { actions })] : [];
  const advice = credentialsAdvice(failure);
  const advised = advice === null ? [] : [word(advice)];
  // A set, because the message and the advice are the same text where the keys cannot be read.
  const pageLines = new Set([message, ...permission, ...advised]);
  // In a terminal, `check` says that text below its tables, once for an account, so the row has only the code.
  const terminalTexts = advice === message ? [code] : [code, message, ...permission];
  const content = html`<code>${code}</code> ${since(sinceMs, texts)} ${[...pageLines].map(small)}
    ${requestId && small(html`RequestId <code class="request-id">${requestId}</code>`)}`;
  return { texts: terminalTexts, content };
}

/** A target of a kind that has a table of its own. Only targets with a snapshot have a row there. */
export const kindTableRow: ToRow<EvaluatedRecord> = (evaluated, { collectors, texts }) => {
  const { collector, isFresh, record } = evaluated;
  const { say, word } = texts;
  const { account, region, resource } = record.target;
  const { columns = [], nameLabel = '' } = collector.table ?? {};
  const kindCells = collector.table?.cells(record) ?? [];
  const lastChange = record.durable.recentChanges.at(-1);
  const changeText = lastChange ? collectors.changeText(lastChange, texts) : null;
  const commonName = collector.table?.calledBy?.(record) ?? '';
  const names = [commonName, collectors.nameOf(record.target), isFresh ? '' : say('stale')];
  const href = pageAddress({ ...resource, account, region, ...texts.parameters });
  return {
    state: isFresh ? 'up' : 'stale',
    cells: [
      { role: 'name', title: word(nameLabel), texts: names, href },
      ...regionCells(record.target, texts),
      ...columns.map(({ isNumber, label }, i) => ({
        role: `${isNumber === true ? 'figure' : 'detail'} ${i}`,
        title: word(label),
        texts: kindCells[i] ?? [],
      })),
      { role: 'change', title: say('Last change'), content: changeText },
      timeCell(say('Seen'), lastChange?.atMs),
    ],
  };
};

/** A change of a target, also of one that is not configured any more. */
export const changeTableRow: ToRow<Change> = (change, { collectors, texts }) => {
  const { say, word } = texts;
  return {
    cells: [
      { role: 'name', title: say('Change'), content: collectors.changeText(change, texts) },
      { role: 'detail target', title: say('Target'), texts: [word(collectors.nameOf(change))] },
      ...regionCells(change, texts),
      timeCell(say('Time'), change.atMs),
    ],
  };
};

/** A daemon of a cluster, and whether it is the one that shows the page. */
export const daemonTableRow: ToRow<ClusterMember> = (member, { texts: { say } }) => {
  const { configuration, isThis, name, silentMs, startedAtMs, version } = member;
  return {
    cells: [
      { role: 'name', title: say('Daemon'), texts: [name, isThis ? say('this page') : ''] },
      { role: 'detail version', title: say('Version'), texts: [version] },
      timeCell(say('Started'), startedAtMs, 'detail started'),
      { role: 'detail configuration', title: say('Configuration'), texts: [configuration] },
      { role: 'figure', title: say('Silent for'), texts: [`${(silentMs / 1_000).toFixed(1)} s`] },
    ],
  };
};
