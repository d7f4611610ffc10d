import {
  bindingText,
  launchStates,
  stockText,
  type LaunchRow,
  type UnjudgedRow,
} from '../launches.ts';
import { counted, figure } from '../number-format.ts';
import type { QuotaWord } from '../severity.ts';
import {
  accountColumn,
  column,
  dim,
  line,
  nameOf,
  onPage,
  runbookOf,
  tagOf,
  timeOf,
  type Piece,
  type Table,
  type TableSettings,
} from './table.ts';

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
        { isNumber: true },
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
