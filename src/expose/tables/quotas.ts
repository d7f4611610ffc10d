import { fillLink, type Links, type LinkValues } from '../../model/links.ts';
import { figure } from '../number-format.ts';
import { plainName, resourceText, shareText, whereOf } from '../quota-text.ts';
import { isBad, isOverdrawn, usedPart } from '../severity.ts';
import type { QuotaRow } from '../watched.ts';
import {
  accountColumn,
  column,
  dim,
  nameOf,
  onPage,
  runbookOf,
  tagOf,
  type Piece,
  type Table,
  type TableSettings,
} from './table.ts';

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
      accountColumn(({ watched }) => watched.record.target.account),
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
        { isNumber: true },
      ),
      column('Used', 'used', ({ quota }) => ({ text: figure(quota.used) }), { isNumber: true }),
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
  const { account, region, resource } = watched.record.target;
  const { labels, type, zone } = quota;
  return { ...resource, ...labels, account, region, zone, quota_type: type };
}
