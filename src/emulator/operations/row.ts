import type { RowOverrides } from '../resources/templates.ts';

type Row = Readonly<Record<string, unknown>>;

/** The row of an answer. A scenario can omit or replace its fields. */
export function rowOf(complete: Row, { omit, fields }: RowOverrides): Row {
  const kept =
    omit === 'all' ? {} : omit.reduce((row, field) => without(row, field.split('.')), complete);
  return { ...kept, ...fields };
}

function without(row: Row, [name = '', ...path]: readonly string[]): Row {
  if (path.length === 0) {
    return Object.fromEntries(Object.entries(row).filter(([field]) => field !== name));
  }
  const inner = row[name];
  return isRow(inner) ? { ...row, [name]: without(inner, path) } : row;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
