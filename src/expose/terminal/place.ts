/** The columns for the place of a row, in the tables of a check. */
import type { TargetRecord } from '../../model/record.ts';
import type { Target } from '../../model/target.ts';
import type { Cell, Column } from './columns.ts';

/** The region and account of a row. The account is shown only if there are several. */
export function placeColumns(records: readonly TargetRecord[]): Column[] {
  return [{ title: 'REGION' }, ...accountColumns(records)];
}

export function placeCells(target: Target, records: readonly TargetRecord[]): Cell[] {
  return [[{ text: target.region }], ...accountCells(target, records)];
}

export function accountColumns(records: readonly TargetRecord[]): Column[] {
  return hasSeveralAccounts(records) ? [{ title: 'ACCOUNT' }] : [];
}

export function accountCells(target: Target, records: readonly TargetRecord[]): Cell[] {
  return hasSeveralAccounts(records) ? [[{ text: target.account }]] : [];
}

function hasSeveralAccounts(records: readonly TargetRecord[]): boolean {
  return records.some(({ target }) => target.account !== records[0]?.target.account);
}
