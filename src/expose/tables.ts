/**
 * The tables of page and terminal as data: their columns, and what the cells of a row say. A new table is written once,
 * here; `page/table.ts` and `terminal/table.ts` show any.
 */
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { KindTable } from '../collectors/collector.ts';
import type { Change } from '../model/change.ts';
import { fillLink, runbookLink, type Links, type LinkValues } from '../model/links.ts';
import type { Target } from '../model/target.ts';
import { credentialsAdvice } from './credentials-advice.ts';
import {
  bindingText,
  launchStates,
  stockText,
  type LaunchRow,
  type UnjudgedRow,
} from './launches.ts';
import { counted, figure } from './number-format.ts';
import { plainName, resourceText, shareText, whereOf } from './quota-text.ts';
import { isBad, isOverdrawn, usedPart, type QuotaWord } from './severity.ts';
import type { QuotaRow, TargetState, Watched } from './watched.ts';

export type Word = QuotaWord | TargetState;

/** A piece of a cell. Pieces are apart by a space. */
export interface Piece {
  readonly text: string;
  /** `line`: on a line of its own where there is room. `id`: a name from outside. `none`: nothing is known. */
  readonly look?: 'dim' | 'code' | 'id' | 'line' | 'request-id' | 'none';
  /** What its colour tells. */
  readonly word?: Word;
  /** Whether the word is shown as a label. */
  readonly isTag?: boolean;
  /** An address. Only a page can follow it. */
  readonly href?: string | null;
  /** A time after the text, in milliseconds since the Unix epoch. Only a page shows it. */
  readonly atMs?: number;
  readonly only?: 'page' | 'terminal';
}

interface ColumnOptions<Row> {
  readonly isNumber?: boolean;
  /** The filled part of a bar before the cell, from 0 to 1. `null` for no bar. */
  bar?(row: Row): number | null;
}

export interface Column<Row> extends ColumnOptions<Row> {
  readonly label: string;
  /** What its cells are, for their style. The cell of a `name` is the heading of its row. */
  readonly role: string;
  /** At least one piece. */
  cell(row: Row): readonly Piece[];
}

export interface Table<Row> {
  readonly columns: readonly Column<Row>[];
  /** The state of a row. */
  wordOf?(row: Row): Word;
}

/** What rows are made with. Rows are made again when one of them is another one. */
export interface TableSettings {
  readonly collectors: CollectorSet;
  readonly links: Links;
}

/** A cell of which nothing is known has a dash. */
const none: Piece = { text: '–', look: 'none' };

/** @param cell `null` among the pieces is left out. A cell without pieces has a dash */
export function column<Row>(
  label: string,
  role: string,
  cell: (row: Row) => Piece | null | readonly (Piece | null)[],
  options: ColumnOptions<Row> = {},
): Column<Row> {
  return {
    label,
    role,
    cell: (row) => {
      const pieces = [cell(row)].flat().filter((piece) => piece !== null);
      return pieces.length === 0 ? [none] : pieces;
    },
    ...options,
  };
}

/** Of a name from outside. */
export function nameOf(text: string, href: string | null = null): Piece {
  return { text, look: 'id', href };
}

export function tagOf(word: Word, text: string = word, href: string | null = null): Piece {
  return { text, word, isTag: true, href };
}

/** Of a time; `null` without one. */
export function timeOf(atMs: number | null | undefined, text = ''): Piece | null {
  return atMs === null || atMs === undefined ? null : { text, atMs };
}

/** `null` for an empty text. */
function dim(text: string): Piece | null {
  return text === '' ? null : { text, look: 'dim' };
}

function line(text: string | null): Piece | null {
  return text === null ? null : { text, look: 'line' };
}

function onPage(piece: Piece | null): Piece | null {
  return piece && { ...piece, only: 'page' };
}

/** The address of the page with a filter. It is relative, so that it works below a path of a proxy, too. */
export function addressOf(filter: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(filter).toString();
  return `./${search === '' ? '' : `?${search}`}`;
}

function runbookOf(
  { runbooks }: Links,
  alert: string | null | undefined,
  values: LinkValues,
): string | null {
  if (runbooks === null || alert === null || alert === undefined) return null;
  return runbookLink(runbooks, alert, values);
}

function accountColumn<Row>(accountOf: (row: Row) => string): Column<Row> {
  return column('Account', 'account', (row) => {
    const account = accountOf(row);
    return nameOf(account, addressOf({ account }));
  });
}

/** The region and the account of a target. */
function placeColumns<Row>(
  placeOf: (row: Row) => Pick<Target, 'account' | 'region'>,
): Column<Row>[] {
  return [
    column('Region', 'where', (row) => {
      const { account, region } = placeOf(row);
      return nameOf(region, addressOf({ account, region }));
    }),
    accountColumn((row) => placeOf(row).account),
  ];
}

function targetOf({ record }: Watched): Target {
  return record.target;
}

const right = { isNumber: true };

export function quotaTable({ links }: TableSettings): Table<QuotaRow> {
  return {
    wordOf: ({ word }) => word,
    columns: [
      column('State', 'state', (row) => {
        const { remaining } = row.quota;
        const isExhausted = isOverdrawn(row.quota) || remaining === 0;
        const alert = isExhausted ? 'CvmQuotaExhausted' : 'CvmQuotaLow';
        const href = runbookOf(links, isBad(row) ? alert : null, linkValues(row));
        return tagOf(row.word, row.word === 'none' ? 'limit 0' : row.word, href);
      }),
      column('Quota', 'name', (row) => quotaPieces(row, links)),
      column('Where', 'where', (row) => nameOf(whereOf(row))),
      accountColumn(({ watched }) => targetOf(watched).account),
      column(
        'Left',
        'share',
        (row) => (isPresent(row) ? { text: shareText(row), word: row.word } : lastKnown(row)),
        { isNumber: true, bar: (row) => (isPresent(row) ? usedPart(row) : null) },
      ),
      column(
        'Remaining',
        'remaining',
        ({ quota }) => [{ text: figure(quota.remaining) }, dim(`of ${figure(quota.limit)}`)],
        right,
      ),
      column('Used', 'used', ({ quota }) => ({ text: figure(quota.used) }), right),
    ],
  };
}

/** Whether the numbers of a quota are those of the present. */
function isPresent({ goneSinceMs, watched }: QuotaRow): boolean {
  return watched.isFresh && goneSinceMs === null;
}

function lastKnown({ goneSinceMs, watched }: QuotaRow): Piece {
  const { lastSuccessAtMs } = watched.record.seen.freshness;
  const [text, atMs] =
    goneSinceMs === null ? ['known until', lastSuccessAtMs] : ['gone since', goneSinceMs];
  return { text, look: 'dim', ...(atMs !== null && { atMs }) };
}

/** On a page, the plain name is before the type. A terminal has room for the type, and its unit if it does not tell. */
function quotaPieces(row: QuotaRow, { grafana }: Links): readonly (Piece | null)[] {
  const { type, unit } = row.quota;
  const name = plainName(type);
  const hasUnit = type.includes(unit.replace(/s$/, ''));
  const href = grafana === null ? null : fillLink(grafana, linkValues(row));
  return [
    { text: type, only: 'terminal' },
    { text: name, href, only: 'page' },
    dim(resourceText(row)),
    onPage(name === type ? dim(unit) : { text: type, look: 'code' }),
    hasUnit ? null : { text: unit, look: 'dim', only: 'terminal' },
    onPage(dim(row.watched.collector.quotaNote(row.quota))),
  ];
}

function linkValues({ quota, watched }: QuotaRow): LinkValues {
  const { account, region, resource } = targetOf(watched);
  const { labels, type, zone } = quota;
  return { ...resource, ...labels, account, region, zone, quota_type: type };
}

/** A launch that is judged, or one that is not. */
type ShownLaunch = LaunchRow | UnjudgedRow;

function isJudged(row: ShownLaunch): row is LaunchRow {
  return 'word' in row;
}

export function launchTable({ links }: TableSettings): Table<ShownLaunch> {
  return {
    wordOf: (row) => (isJudged(row) ? row.word : 'none'),
    columns: [
      column('State', 'state', (row) => {
        if (!isJudged(row)) return tagOf('none', 'not judged');
        const { account, blocking, region, templateId, word, zone } = row;
        const isStockLow = word === 'low' && blocking.length === 0;
        const alert = isStockLow ? 'CvmInstanceTypeStockLow' : launchAlerts[word];
        const values = { account, region, zone, template_id: templateId };
        return tagOf(word, launchStates[word], runbookOf(links, alert, values));
      }),
      column('Launch', 'name', ({ templateId, templateName, version }) => [
        nameOf(templateId === '' ? 'instance type' : templateId),
        dim(templateName),
        dim(version === null ? '' : `version ${version}`),
      ]),
      column('Starts', 'detail', (row) => {
        if (!isJudged(row)) return null;
        const { chargeType, count, instanceType } = row;
        return [
          { text: instanceType ?? 'unknown type' },
          dim(chargeType ?? 'unknown charge type'),
          dim(count === 1 ? '' : `× ${figure(count)}`),
        ];
      }),
      column('Where', 'where', (row) => {
        if (!isJudged(row) || row.judgedZone === '') return nameOf(row.region);
        return [nameOf(row.judgedZone), dim(row.zone === '' ? 'the best of any zone' : '')];
      }),
      accountColumn(({ account }) => account),
      column(
        'How many more',
        'figure',
        (row) =>
          isJudged(row) && row.headroom !== null
            ? { text: figure(row.headroom), word: row.word }
            : null,
        right,
      ),
      column('What binds', 'detail', (row) =>
        isJudged(row) ? bindingPieces(row) : { text: row.unjudged },
      ),
      column('Blocked since', 'time', (row) => (isJudged(row) ? timeOf(row.sinceMs) : null)),
    ],
  };
}

/** What binds, the stock, where else the type sells, and who shares it. */
function bindingPieces(row: LaunchRow): readonly (Piece | null)[] {
  const { judgedZone, region, sharing, soldIn } = row;
  const zones = soldIn.filter((zone) => zone !== judgedZone);
  // Such as `ap-guangzhou-4, -6`.
  const elsewhere = zones.join(', ').replaceAll(`, ${region}-`, ', -');
  const stock = stockText(row);
  return [
    { text: bindingText(row) },
    line(stock === null ? null : `stock: ${stock}`),
    line(elsewhere === '' ? null : `sells in ${elsewhere}`),
    onPage(line(sharing === 0 ? null : `shared with ${counted(sharing, 'other template')}`)),
  ];
}

const launchAlerts: Readonly<Partial<Record<QuotaWord, string>>> = {
  critical: 'CvmLaunchBlocked',
  low: 'CvmLaunchBlocked',
  unknown: 'CvmLaunchUnknown',
};

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
