/** The answer of `/-/ready`. */
import { configurationsOf, type ClusterStatus } from '../model/cluster-status.ts';
import { counted } from './number-format.ts';
import type { MonitorView } from './monitor-view.ts';
import { timestamp } from './json/list.ts';

/** Maximum number of names in a line. */
const maxNames = 10;

/**
 * One line for each fact.
 *
 * @param isBrief no name, path or host: those who may not see them may read the answer
 */
export function readinessText(view: MonitorView, isBrief: boolean): string {
  const { isReady, attempted, targets } = view.readiness();
  const cluster = view.cluster();
  const count = attempted === targets ? `all ${targets}` : `${attempted} of ${targets}`;
  const readiness = isReady
    ? `ready: ${count} targets attempted`
    : `not ready: ${targets - attempted} of ${targets} targets not yet attempted`;
  const facts = cluster === null ? storageLines(view) : clusterLines(cluster);
  return `${[readiness, ...(isBrief ? [] : facts)].join('\n')}\n`;
}

function storageLines(view: MonitorView): string[] {
  const problem = view.storageProblem();
  return problem === null ? [] : [`records cannot be stored: ${problem}`];
}

function clusterLines({ accounts, members, problem }: ClusterStatus): string[] {
  const waiting = accounts.flatMap(({ account, waitingSinceMs }) =>
    waitingSinceMs === null ? [] : [`${account} since ${timestamp(waitingSinceMs)}`],
  );
  const configurations = configurationsOf(members);
  return [
    `cluster: ${counted(members.length, 'daemon')}${namesOf(members.map(({ name }) => name))}`,
    ...(configurations > 1 ? [`the daemons have ${configurations} different configurations`] : []),
    ...(waiting.length > 0
      ? [`${counted(waiting.length, 'due cycle')} not begun${namesOf(waiting)}`]
      : []),
    ...(problem === null
      ? []
      : [
          `this daemon does not poll; values go stale, and counters of changes are absent while reading fails: ${problem}`,
        ]),
  ];
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).join(', ');
  const more = names.length - maxNames;
  if (names.length === 0) return '';
  return `: ${shown}${more > 0 ? `, and ${more} more` : ''}`;
}
