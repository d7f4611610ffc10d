/** What a check tells besides quotas: launch templates, targets that failed, what answers lacked. */
import type { LaunchTemplateRecord, TargetRecord } from '../../model/record.ts';
import type { CheckReport } from '../check-report.ts';
import { figure } from '../figures.ts';
import type { Cell, Table } from './columns.ts';
import { nameOf, placeCells, placeColumns } from './place.ts';
import { failedStyle } from './style.ts';

const text = (value: string): Cell => [{ text: value }];
const detail = (value = ''): Cell => [{ text: value || '–', style: 'dim' }];

export function templateTable({ records, templates }: CheckReport): Table {
  const row = ({ target, snapshot }: LaunchTemplateRecord): Cell[] => {
    const version = snapshot?.defaultVersion ?? null;
    return [
      text(target.templateId),
      ...placeCells(target, records),
      version === null
        ? [{ text: 'unclear', style: failedStyle }]
        : [{ text: figure(version.version), style: 'bold' }],
      text(figure(snapshot?.versions.at(-1) ?? 0)),
      text(figure(snapshot?.versions.length ?? 0)),
      detail(version?.instanceType),
      detail(version?.imageId),
    ];
  };
  return {
    columns: [
      { title: 'TEMPLATE' },
      ...placeColumns(records),
      { title: 'DEFAULT', align: 'right' },
      { title: 'LATEST', align: 'right' },
      { title: 'VERSIONS', align: 'right' },
      { title: 'INSTANCE TYPE' },
      { title: 'IMAGE' },
    ],
    rows: templates.map(row),
  };
}

export function failedTable({ failed, records }: CheckReport): Table {
  const row = ({ target, freshness }: TargetRecord): Cell[] => [
    text(nameOf(target)),
    ...placeCells(target, records),
    [{ text: freshness.failure?.code ?? '', style: failedStyle }],
    text(freshness.failure?.message ?? ''),
  ];
  return {
    columns: [
      { title: 'FAILED' },
      ...placeColumns(records),
      { title: 'CODE' },
      { title: 'MESSAGE' },
    ],
    rows: failed.map(row),
  };
}

/** Parts of good answers that cannot be right, and which no other table shows. */
export function anomalyTable({ records }: CheckReport): Table {
  const rows = records.flatMap(({ target, freshness }) => {
    const found = Object.entries(freshness.anomalies).map(([kind, count]) => `${count} ${kind}`);
    if (found.length === 0) return [];
    return [[text(nameOf(target)), ...placeCells(target, records), text(found.join(', '))]];
  });
  return { columns: [{ title: 'ANOMALOUS' }, ...placeColumns(records), { title: 'WHAT' }], rows };
}
