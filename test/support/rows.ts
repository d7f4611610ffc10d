import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A table of `fixtures/rows/FILE.yaml`: each row has the arguments of one test. */
export function rowsOf<Row>(file: string, table: string): Row[] {
  const path = new URL(`fixtures/rows/${file}.yaml`, import.meta.url);
  const tables = parse(readFileSync(path, 'utf8')) as Record<string, Row[]>;
  const rows = tables[table] ?? [];
  if (rows.length === 0) throw new Error(`${file}.yaml has no table ${table}`);
  return rows;
}
