import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** What `fixtures/NAME.yaml` has. The key `<<` merges maps. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function fixtureOf<Content>(name: string): Content {
  const path = new URL(`fixtures/${name}.yaml`, import.meta.url);
  return parse(readFileSync(path, 'utf8'), { merge: true }) as Content;
}

/** A table of `fixtures/rows/FILE.yaml`: each row has the arguments of one test. */
export function rowsOf<Row>(file: string, table: string): Row[] {
  const rows = fixtureOf<Record<string, Row[]>>(`rows/${file}`)[table] ?? [];
  if (rows.length === 0) throw new Error(`${file}.yaml has no table ${table}`);
  return rows;
}
