import type { CheckReport, JudgedQuota } from '../check-report.ts';
import { figure, percent } from '../number-format.ts';
import { isMuted, type Severity } from '../severity.ts';
import { barOf } from './usage-bar.ts';
import { columnGap, tableWidth, type Cell, type Column, type Table } from './columns.ts';
import { accountCells, accountColumns } from './place.ts';
import type { Style } from './style.ts';

/** Minimum width of a useful bar. */
const minBarWidth = 6;
const maxBarWidth = 30;

const styles: Readonly<Record<Severity, { readonly word: Style; readonly bar: Style }>> = {
  critical: { word: ['bold', 'red'], bar: 'red' },
  warning: { word: ['bold', 'yellow'], bar: 'yellow' },
  unknown: { word: ['bold', 'yellow'], bar: 'dim' },
  fine: { word: 'dim', bar: 'green' },
};

/**
 * Every quota, the worst first, with a bar of the used part.
 *
 * @param width maximum width of the lines, in characters; a table that does not fit has no bars
 */
export function quotaTable(report: CheckReport, width: number): Table {
  const barWidth = Math.min(
    maxBarWidth,
    width - columnGap - tableWidth(tableWithBars(report, null)),
  );
  return tableWithBars(report, barWidth < minBarWidth ? null : barWidth);
}

/** @param barWidth `null` for no bars */
function tableWithBars({ quotas, records }: CheckReport, barWidth: number | null): Table {
  const columns: Column[] = [
    { title: 'STATE' },
    { title: 'QUOTA' },
    { title: 'WHERE' },
    ...accountColumns(records),
    ...(barWidth === null ? [] : [{ title: '' }]),
    { title: 'LEFT', align: 'right' },
    { title: 'USED', align: 'right' },
    { title: 'LIMIT', align: 'right' },
  ];
  const row = (judged: JudgedQuota): Cell[] => {
    const { quota, severity, target } = judged;
    const style = styles[severity].word;
    return [
      [{ text: isMuted(judged) ? 'muted' : severity, style }],
      quotaCell(judged),
      [{ text: whereOf(judged) }],
      ...accountCells(target, records),
      ...(barWidth === null ? [] : [barCell(judged, barWidth)]),
      [
        {
          text: judged.remainingShare === null ? '–' : percent(quota.remaining, quota.limit),
          style,
        },
      ],
      [{ text: figure(quota.used) }],
      [{ text: figure(quota.limit) }],
    ];
  };
  return { columns, rows: quotas.map(row) };
}

/** With the unit after it, if the type does not imply the unit. */
function quotaCell({ quota }: JudgedQuota): Cell {
  const unit = quota.unit.replace(/s$/, '');
  return quota.type.includes(unit)
    ? [{ text: quota.type }]
    : [{ text: quota.type }, { text: ` ${quota.unit}`, style: 'dim' }];
}

/** The zone, which usually begins with the name of its region. For a quota without a zone, the region. */
function whereOf({ quota, target }: JudgedQuota): string {
  if (quota.zone === null) return target.region;
  return quota.zone.startsWith(target.region) ? quota.zone : `${target.region} ${quota.zone}`;
}

function barCell({ remainingShare, severity }: JudgedQuota, width: number): Cell {
  if (remainingShare === null) return [{ text: ' '.repeat(width) }];
  const { filled, empty } = barOf(1 - remainingShare, width);
  return [
    { text: filled, style: styles[severity].bar },
    { text: empty, style: 'dim' },
  ];
}
