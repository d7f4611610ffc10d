/**
 * The tables of page and terminal as data: their columns, and what the cells of a row say. A new table is written once,
 * here; `page/table.ts` and `terminal/table.ts` show any.
 */
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { KindTable } from '../collectors/collector.ts';
import type { Change } from '../model/change.ts';
import type { ClusterAccount, ClusterMember } from '../model/cluster-status.ts';
import { fillLink, runbookLink, type Links, type LinkValues } from '../model/links.ts';
import { credentialsAdvice } from './credentials-problems.ts';
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

export interface Column<Row> {
  readonly label: string;
  /** What its cells are, for their style. The cell of a `name` is the heading of its row. */
  readonly role: string;
  readonly isNumber?: boolean;
  cell(row: Row): readonly Piece[];
  /** The filled part of a bar before the cell, from 0 to 1. `null` for no bar. */
  bar?(row: Row): number | null;
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

const none: Piece = { text: '–', look: 'none' };

function tagOf(word: Word, text: string = word, href: string | null = null): Piece {
  return { text, word, isTag: true, href };
}

/** The address of the page with a filter. It is relative, so that it works below a path of a proxy, too. */
export function addressOf(filter: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(filter).toString();
  return `./${search === '' ? '' : `?${search}`}`;
}

function accountColumn<Row>(accountOf: (row: Row) => string): Column<Row> {
  return {
    label: 'Account',
    role: 'account',
    cell: (row) => {
      const account = accountOf(row);
      return [{ text: account, look: 'id', href: addressOf({ account }) }];
    },
  };
}

/** The region and the account of a target. */
function placeColumns<Row>(
  placeOf: (row: Row) => { readonly account: string; readonly region: string },
): Column<Row>[] {
  const region: Column<Row> = {
    label: 'Region',
    role: 'where',
    cell: (row) => {
      const { account, region: text } = placeOf(row);
      return [{ text, look: 'id', href: addressOf({ account, region: text }) }];
    },
  };
  return [region, accountColumn((row) => placeOf(row).account)];
}

function targetOf({ record }: Watched) {
  return record.target;
}

export function quotaTable({ links }: TableSettings): Table<QuotaRow> {
  return {
    wordOf: ({ word }) => word,
    columns: [
      {
        label: 'State',
        role: 'state',
        cell: (row) => [
          tagOf(row.word, row.word === 'none' ? 'limit 0' : row.word, quotaRunbook(row, links)),
        ],
      },
      { label: 'Quota', role: 'name', cell: (row) => quotaName(row, links) },
      {
        label: 'Where',
        role: 'where',
        cell: (row) => [{ text: whereOf(row), look: 'id' }],
      },
      accountColumn(({ watched }) => targetOf(watched).account),
      {
        label: 'Left',
        role: 'share',
        isNumber: true,
        bar: (row) => (isPresent(row) ? usedPart(row) : null),
        cell: (row) => [isPresent(row) ? { text: shareText(row), word: row.word } : lastKnown(row)],
      },
      {
        label: 'Remaining',
        role: 'remaining',
        isNumber: true,
        cell: ({ quota }) => [
          { text: figure(quota.remaining) },
          { text: `of ${figure(quota.limit)}`, look: 'dim' },
        ],
      },
      {
        label: 'Used',
        role: 'used',
        isNumber: true,
        cell: ({ quota }) => [{ text: figure(quota.used) }],
      },
    ],
  };
}

/** Whether the numbers of a quota are those of the present. */
function isPresent({ goneSinceMs, watched }: QuotaRow): boolean {
  return watched.isFresh && goneSinceMs === null;
}

function lastKnown({ goneSinceMs, watched }: QuotaRow): Piece {
  if (goneSinceMs !== null) return { text: 'gone since', look: 'dim', atMs: goneSinceMs };
  const { lastSuccessAtMs } = watched.record.seen.freshness;
  return { text: 'known until', look: 'dim', ...(lastSuccessAtMs && { atMs: lastSuccessAtMs }) };
}

/** On a page, the plain name is before the type. A terminal has room for the type, and its unit if it does not tell. */
function quotaName(row: QuotaRow, { grafana }: Links): readonly Piece[] {
  const { type, unit } = row.quota;
  const name = plainName(type);
  const isPlain = name === type;
  const of = resourceText(row);
  const note = row.watched.collector.quotaNote(row.quota);
  const href = grafana === null ? null : fillLink(grafana, linkValues(row));
  return [
    { text: type, only: 'terminal' },
    { text: name, href, only: 'page' },
    ...(of === '' ? [] : [{ text: of, look: 'dim' } as const]),
    { text: isPlain ? unit : type, look: isPlain ? 'dim' : 'code', only: 'page' },
    ...(type.includes(unit.replace(/s$/, ''))
      ? []
      : [{ text: unit, look: 'dim', only: 'terminal' } as const]),
    ...(note === '' ? [] : [{ text: note, look: 'dim', only: 'page' } as const]),
  ];
}

function linkValues({ quota, watched }: QuotaRow): LinkValues {
  const { account, region, resource } = targetOf(watched);
  return {
    ...resource,
    ...quota.labels,
    account,
    region,
    zone: quota.zone,
    quota_type: quota.type,
  };
}

function quotaRunbook(row: QuotaRow, { runbooks }: Links): string | null {
  if (runbooks === null || !isBad(row)) return null;
  const isExhausted = isOverdrawn(row.quota) || row.quota.remaining === 0;
  return runbookLink(runbooks, isExhausted ? 'CvmQuotaExhausted' : 'CvmQuotaLow', linkValues(row));
}

/** A launch that is judged, or one that is not. */
type ShownLaunch = LaunchRow | UnjudgedRow;

export function launchTable({ links }: TableSettings): Table<ShownLaunch> {
  const wordOf = (row: ShownLaunch): QuotaWord => ('word' in row ? row.word : 'none');
  /** The cells of a launch that is judged. */
  const judged =
    (cell: (row: LaunchRow) => readonly Piece[]) =>
    (row: ShownLaunch): readonly Piece[] =>
      'word' in row ? cell(row) : [none];
  return {
    wordOf,
    columns: [
      {
        label: 'State',
        role: 'state',
        cell: (row) => {
          if (!('word' in row)) return [tagOf('none', 'not judged')];
          const { account, region, templateId, word, zone } = row;
          const values = { account, region, zone, template_id: templateId };
          const isStockLow = word === 'low' && row.blocking.length === 0;
          const alert = isStockLow ? 'CvmInstanceTypeStockLow' : launchAlerts[word];
          const href =
            links.runbooks === null || alert === undefined
              ? null
              : runbookLink(links.runbooks, alert, values);
          return [tagOf(word, launchStates[word], href)];
        },
      },
      {
        label: 'Launch',
        role: 'name',
        cell: ({ templateId, templateName, version }) => [
          { text: templateId === '' ? 'instance type' : templateId, look: 'id' },
          ...(templateName === '' ? [] : [{ text: templateName, look: 'dim' } as const]),
          ...(version === null ? [] : [{ text: `version ${version}`, look: 'dim' } as const]),
        ],
      },
      {
        label: 'Starts',
        role: 'detail',
        cell: judged(({ chargeType, count, instanceType }) => [
          { text: instanceType ?? 'unknown type' },
          { text: chargeType ?? 'unknown charge type', look: 'dim' },
          ...(count === 1 ? [] : [{ text: `× ${figure(count)}`, look: 'dim' } as const]),
        ]),
      },
      {
        label: 'Where',
        role: 'where',
        cell: (row) => {
          if (!('word' in row)) return [{ text: row.region, look: 'id' }];
          const { judgedZone, region, zone } = row;
          const isBest = zone === '' && judgedZone !== '';
          return [
            { text: judgedZone === '' ? region : judgedZone, look: 'id' },
            ...(isBest ? [{ text: 'the best of any zone', look: 'dim' } as const] : []),
          ];
        },
      },
      accountColumn(({ account }: ShownLaunch) => account),
      {
        label: 'How many more',
        role: 'figure',
        isNumber: true,
        cell: judged(({ headroom, word }) =>
          headroom === null ? [none] : [{ text: figure(headroom), word }],
        ),
      },
      {
        label: 'What binds',
        role: 'detail',
        cell: (row) => ('word' in row ? bindingPieces(row) : [{ text: row.unjudged }]),
      },
      { label: 'Stock', role: 'figure', cell: judged((row) => [{ text: stockText(row) }]) },
      {
        label: 'Blocked since',
        role: 'time',
        cell: judged(({ sinceMs }) => [sinceMs === null ? none : { text: '', atMs: sinceMs }]),
      },
    ],
  };
}

/** What binds, where else the type sells, and who shares it. */
function bindingPieces(row: LaunchRow): readonly Piece[] {
  const { judgedZone, sharing, soldIn } = row;
  const elsewhere = soldIn.filter((zone) => zone !== judgedZone);
  return [
    { text: bindingText(row) },
    ...(elsewhere.length === 0
      ? []
      : [{ text: `sells in ${elsewhere.join(', ')}`, look: 'line' } as const]),
    ...(sharing === 0
      ? []
      : [
          {
            text: `shared with ${counted(sharing, 'other template')}`,
            look: 'line',
            only: 'page',
          } as const,
        ]),
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
      {
        label: 'State',
        role: 'state',
        cell: ({ isFresh, record, state }) => {
          const { account, region, resource } = record.target;
          const alert = targetAlerts[state];
          const runbook =
            links.runbooks === null || alert === undefined
              ? null
              : runbookLink(links.runbooks, alert, { account, region, ...resource });
          const isStale = state === 'failing' && !isFresh && record.seen.snapshot !== null;
          return [
            tagOf(state, state === 'pending' ? 'not polled yet' : state, runbook),
            ...(isStale ? [tagOf('stale')] : []),
          ];
        },
      },
      {
        label: 'Target',
        role: 'name',
        cell: ({ record }) => [{ text: collectors.nameOf(record.target), look: 'id' }],
      },
      ...placeColumns(targetOf),
      { label: 'Problem', role: 'detail', cell: problemPieces },
      {
        label: 'Last success',
        role: 'time',
        cell: ({ record }) => {
          const { lastSuccessAtMs } = record.seen.freshness;
          return [lastSuccessAtMs === null ? none : { text: '', atMs: lastSuccessAtMs }];
        },
      },
    ],
  };
}

/** Maximum number of missing parts that a row names. The JSON API names all of them. */
const maxMissingShown = 5;

/** The RequestId is what the support of the service asks for. A script adds a button that copies it. */
function problemPieces({ collector, record: { seen }, state }: Watched): readonly Piece[] {
  const { failure } = seen.freshness;
  const line = (text: string): Piece => ({ text, look: 'line' });
  if (failure === null) {
    const missing = seen.snapshot?.missing ?? [];
    const more = missing.length - maxMissingShown;
    if (state === 'stale') return [{ text: 'no poll since the last success' }];
    if (missing.length === 0) return [none];
    return [
      ...missing.slice(0, maxMissingShown).map(line),
      ...(more > 0 ? [line(`and ${more} more`)] : []),
    ];
  }
  const { code, message, requestId, sinceMs } = failure;
  const advice = credentialsAdvice(failure);
  return [
    { text: code, look: 'code', word: 'failing' },
    { text: 'since', atMs: sinceMs, only: 'page' },
    line(message),
    ...(code.startsWith('UnauthorizedOperation')
      ? [line(`permission: name/${collector.service.service}:${collector.operation}`)]
      : []),
    ...(advice === null || advice === message ? [] : [{ ...line(advice), only: 'page' } as const]),
    ...(requestId === null ? [] : [{ text: requestId, look: 'request-id', only: 'page' } as const]),
  ];
}

/** The table of one collector. */
export function kindTable(kind: KindTable, { collectors }: TableSettings): Table<Watched> {
  const lastChange = ({ record }: Watched) => record.counted.recentChanges.at(-1);
  return {
    wordOf: ({ isFresh, state }) => (isFresh ? state : 'stale'),
    columns: [
      {
        label: kind.nameLabel,
        role: 'name',
        cell: ({ isFresh, record, state }) => {
          const { account, region, resource = {} } = record.target;
          const href = addressOf({ account, region, ...resource });
          const name: Piece = { text: collectors.nameOf(record.target), look: 'id', href };
          const word = isFresh ? state : 'stale';
          return word === 'up' ? [name] : [name, { ...tagOf(word), only: 'page' }];
        },
      },
      ...placeColumns(targetOf),
      ...kind.columns.map(({ isNumber = false, label }, i): Column<Watched> => ({
        label,
        role: isNumber ? 'figure' : 'detail',
        isNumber,
        cell: ({ record }) => {
          const cell = kind.cells(record)[i] ?? null;
          if (cell === null) return [none];
          const { detail = '', text } = cell;
          return detail === '' ? [{ text }] : [{ text }, { text: detail, look: 'dim' }];
        },
      })),
      {
        label: 'Last change',
        role: 'change',
        cell: (watched) => {
          const change = lastChange(watched);
          return [change === undefined ? none : { text: collectors.changeText(change) }];
        },
      },
      {
        label: 'Seen',
        role: 'time',
        cell: (watched) => {
          const change = lastChange(watched);
          return [change === undefined ? none : { text: '', atMs: change.atMs }];
        },
      },
    ],
  };
}

export function changeTable({ collectors }: TableSettings): Table<Change> {
  return {
    columns: [
      {
        label: 'Change',
        role: 'name',
        cell: (change) => [{ text: collectors.changeText(change) }],
      },
      {
        label: 'Target',
        role: 'detail',
        cell: (change) => [{ text: collectors.nameOf(change), look: 'id' }],
      },
      ...placeColumns<Change>((change) => change),
      { label: 'Time', role: 'time', cell: ({ atMs }) => [{ text: '', atMs }] },
    ],
  };
}

/** A daemon of a cluster, and whether its configuration is another one than that of this daemon. */
export type Daemon = ClusterMember & { readonly differs: boolean };

export const daemonTable: Table<Daemon> = {
  columns: [
    {
      label: 'Daemon',
      role: 'name',
      cell: ({ isThis, name }) => [
        { text: name, look: 'id' },
        ...(isThis ? [tagOf('muted', 'this page')] : []),
      ],
    },
    { label: 'Version', role: 'detail', cell: ({ version }) => [{ text: version }] },
    {
      label: 'Started',
      role: 'detail',
      cell: ({ startedAtMs }) => [{ text: '', atMs: startedAtMs }],
    },
    {
      label: 'Configuration',
      role: 'detail',
      cell: ({ configuration, differs }) => [
        { text: configuration, look: 'code' },
        ...(differs ? [tagOf('low', 'differs')] : []),
      ],
    },
    {
      label: 'Silent for',
      role: 'figure',
      isNumber: true,
      cell: ({ silentMs }) => [{ text: `${(silentMs / 1_000).toFixed(1)} s` }],
    },
  ],
};

/** The cycles of an account of a cluster. */
export type Cycle = ClusterAccount & { readonly isLate: boolean };

export const cycleTable: Table<Cycle> = {
  columns: [
    { label: 'Account', role: 'name', cell: ({ account }) => [{ text: account, look: 'id' }] },
    {
      label: 'Daemon',
      role: 'detail',
      cell: ({ polledBy }) => [polledBy === null ? none : { text: polledBy, look: 'id' }],
    },
    {
      label: 'Last cycle',
      role: 'detail',
      cell: ({ begunAtMs, isRunning }) => [
        begunAtMs === null ? none : { text: '', atMs: begunAtMs },
        ...(isRunning ? [tagOf('fine', 'running')] : []),
      ],
    },
    {
      label: 'Waiting',
      role: 'detail',
      cell: ({ isLate, waitingSinceMs }) => [
        waitingSinceMs === null ? none : { text: 'due', atMs: waitingSinceMs },
        ...(isLate ? [tagOf('low', 'late')] : []),
      ],
    },
  ],
};
