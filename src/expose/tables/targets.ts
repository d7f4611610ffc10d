/** The tables of targets: those with problems, those of one collector, and their changes. */
import type { KindTable } from '../../collectors/collector.ts';
import type { Change } from '../../model/change.ts';
import type { Target } from '../../model/target.ts';
import { credentialsAdvice } from '../credentials-advice.ts';
import type { TargetState, Watched } from '../watched.ts';
import {
  column,
  dim,
  line,
  nameOf,
  onPage,
  placeColumns,
  runbookOf,
  tagOf,
  timeOf,
  addressOf,
  type Piece,
  type Table,
  type TableSettings,
} from './table.ts';

function targetOf({ record }: Watched): Target {
  return record.target;
}

const targetAlerts: Readonly<Partial<Record<TargetState, string>>> = {
  failing: 'CvmMonitorTargetFailing',
  incomplete: 'CvmMonitorTargetIncomplete',
  stale: 'CvmMonitorTargetStale',
};

/** Targets that were not polled successfully and completely, and what to do about them. */
export function problemTable({ collectors, links }: TableSettings): Table<Watched> {
  return {
    wordOf: ({ state }) => state,
    columns: [
      column('State', 'state', ({ isFresh, record, state }) => {
        const { account, region, resource } = record.target;
        const values = { account, region, ...resource };
        const isStale = state === 'failing' && !isFresh && record.seen.snapshot !== null;
        const text = state === 'pending' ? 'not polled yet' : state;
        return [
          tagOf(state, text, runbookOf(links, targetAlerts[state], values)),
          isStale ? tagOf('stale') : null,
        ];
      }),
      column('Target', 'name', ({ record }) => nameOf(collectors.nameOf(record.target))),
      ...placeColumns(targetOf),
      column('Problem', 'detail', problemPieces),
      column('Last success', 'time', ({ record }) => timeOf(record.seen.freshness.lastSuccessAtMs)),
    ],
  };
}

/** Maximum number of missing parts that a row names. The JSON API names all of them. */
const maxMissingShown = 5;

/** The RequestId is what the support of the service asks for. */
function problemPieces(watched: Watched): readonly (Piece | null)[] {
  const { collector, record, state } = watched;
  const { freshness, snapshot } = record.seen;
  const { failure } = freshness;
  if (failure === null) {
    if (state === 'stale') return [{ text: 'no poll since the last success' }];
    const missing = snapshot?.missing ?? [];
    const more = missing.length - maxMissingShown;
    return [
      ...missing.slice(0, maxMissingShown).map(line),
      line(more > 0 ? `and ${more} more` : null),
    ];
  }
  const { code, message, requestId, sinceMs } = failure;
  const advice = credentialsAdvice(failure);
  const isDenied = code.startsWith('UnauthorizedOperation');
  return [
    { text: code, look: 'code', word: 'failing' },
    onPage(timeOf(sinceMs, 'since')),
    line(message),
    line(isDenied ? `permission: name/${collector.service.service}:${collector.operation}` : null),
    onPage(line(advice === message ? null : advice)),
    requestId === null ? null : { text: requestId, look: 'request-id', only: 'page' },
  ];
}

/** The table of one collector. */
export function kindTable(kind: KindTable, { collectors }: TableSettings): Table<Watched> {
  const lastChange = ({ record }: Watched) => record.counted.recentChanges.at(-1);
  const wordOf = ({ isFresh, state }: Watched) => (isFresh ? state : 'stale');
  return {
    wordOf,
    columns: [
      column(kind.nameLabel, 'name', (watched) => {
        const { account, region, resource } = watched.record.target;
        const word = wordOf(watched);
        return [
          nameOf(
            collectors.nameOf(watched.record.target),
            addressOf({ ...resource, account, region }),
          ),
          word === 'up' ? null : onPage(tagOf(word)),
        ];
      }),
      ...placeColumns(targetOf),
      ...kind.columns.map(({ isNumber = false, label }, i) =>
        column(
          label,
          isNumber ? 'figure' : 'detail',
          ({ record }: Watched) => {
            const cell = kind.cells(record)[i];
            return cell ? [{ text: cell.text }, dim(cell.detail ?? '')] : null;
          },
          { isNumber },
        ),
      ),
      column('Last change', 'change', (watched) => {
        const change = lastChange(watched);
        return change === undefined ? null : { text: collectors.changeText(change) };
      }),
      column('Seen', 'time', (watched) => timeOf(lastChange(watched)?.atMs)),
    ],
  };
}

export function changeTable({ collectors }: TableSettings): Table<Change> {
  return {
    columns: [
      column('Change', 'name', (change) => ({ text: collectors.changeText(change) })),
      column('Target', 'detail', (change) => nameOf(collectors.nameOf(change))),
      ...placeColumns<Change>((change) => change),
      column('Time', 'time', ({ atMs }) => timeOf(atMs)),
    ],
  };
}
